// A server written with vscode-jsonrpc, for our demo_client.
//
//   node server.js stdio      one connection over stdin and stdout
//   node server.js tcp        at a free port of 127.0.0.1
//
// Says on stderr where it listens, and what came that nobody is answered for.

const net = require('node:net');
const rpc = require('vscode-jsonrpc/node');

const say = (...words) => console.error(...words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))));

function serve(input, output) {
  const logger = { error: (text) => say('error:', text.split('\n')[0]), warn() {}, info() {}, log() {} };
  const connection = rpc.createMessageConnection(input, output, logger);
  connection.onRequest('subtract', (...params) => {
    const [a, b] = typeof params[0] === 'number' ? params : [params[0].minuend, params[0].subtrahend];
    return a - b;
  });
  connection.onRequest('echo', (value) => value);
  connection.onRequest('nothing', () => undefined);
  connection.onRequest('divide', (dividend) => {
    throw new rpc.ResponseError(1001, 'division by zero', { dividend });
  });
  connection.onRequest('relay', (text) => connection.sendRequest('client/upper', { text }));
  connection.onRequest('announce', (text) => connection.sendNotification('client/notice', { text }));
  connection.onRequest('ask', async (method) => {
    const asked = connection.sendRequest(method);
    return asked.then((result) => ({ result }), (error) => error.toJson());
  });
  connection.onRequest('go_away', () => {
    if (output === process.stdout) {
      process.exit(1);
    }
    output.destroy();
    return new Promise(() => {});
  });
  // Ends only when it is cancelled.
  connection.onRequest('slow', (token) => new Promise((resolve) => {
    say('slow: begun');
    token.onCancellationRequested(() => {
      say('slow: cancelled');
      resolve(new rpc.ResponseError(-32800, 'cancelled'));
    });
  }));
  connection.onNotification('update', (...params) => say('update:', params));
  connection.onClose(() => say('closed'));
  connection.listen();
}

if (process.argv[2] === 'stdio') {
  serve(process.stdin, process.stdout);
} else {
  const server = net.createServer((socket) => serve(socket, socket));
  server.listen(0, '127.0.0.1', () => say(`listening on ${server.address().port}`));
}
