// A client written with vscode-jsonrpc, of our demo_server.
//
//   node client.js CHECK ADDRESS
//
// ADDRESS is exec:PROGRAM (its stdin and stdout), tcp:PORT or unix:PATH. Exits with 0 if the check holds.

const assert = require('node:assert');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const net = require('node:net');
const rpc = require('vscode-jsonrpc/node');

const CANCELLED = -32800;

/** The streams of an address, and what is true when the other side has ended in good order. */
function reach(address) {
  const [kind, where] = address.split(/:(.*)/s);
  if (kind === 'exec') {
    const child = spawn(where, ['--profile', 'lsp', '--stdio-lsp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const exited = once(child, 'exit').then(([code]) => assert.strictEqual(code, 0));
    return { input: child.stdout, output: child.stdin, ended: exited };
  }
  const socket = net.connect(kind === 'tcp' ? { port: Number(where), host: '127.0.0.1' } : where);
  const ended = once(socket, 'end');
  return { input: socket, output: socket, ended };
}

function open(address) {
  const { input, output, ended } = reach(address);
  const connection = rpc.createMessageConnection(input, output);
  connection.onError((error) => assert.fail(`the connection failed: ${error}`));
  return { connection, output, ended };
}

/** What a call that is to fail fails with. */
async function failure(call) {
  const result = await call.then((value) => ({ value }), (error) => ({ error }));
  assert.ok('error' in result, `a result came: ${JSON.stringify(result.value)}`);
  return result.error;
}

const soon = async (call, most) => {
  const start = performance.now();
  const value = await call;
  assert.ok(performance.now() - start < most, `it took ${performance.now() - start} ms`);
  return value;
};

const checks = {
  async results(connection) {
    assert.strictEqual(await connection.sendRequest('subtract', 42, 23), 19);
    assert.deepStrictEqual(await connection.sendRequest('get_data'), ['hello', 5]);
    assert.strictEqual(await connection.sendRequest('echo', null), null);
    assert.strictEqual(await connection.sendRequest('echo', 2 ** 53), 2 ** 53);
  },

  async errors(connection) {
    const divided = await failure(connection.sendRequest('divide', 1, 0));
    assert.ok(divided instanceof rpc.ResponseError);
    assert.deepStrictEqual(divided.toJson(), { code: 1001, message: 'division by zero', data: { dividend: 1 } });
    assert.strictEqual((await failure(connection.sendRequest('fail'))).code, rpc.ErrorCodes.InternalError);
    assert.strictEqual((await failure(connection.sendRequest('subtract', 'a', 1))).code, rpc.ErrorCodes.InvalidParams);
    assert.strictEqual((await failure(connection.sendRequest('nothing'))).code, rpc.ErrorCodes.MethodNotFound);
    assert.strictEqual((await failure(connection.sendRequest('$/nothing'))).code, rpc.ErrorCodes.MethodNotFound);
    assert.strictEqual(await connection.sendRequest('subtract', 2, 1), 1);
  },

  async structures(connection) {
    const { byName, byPosition } = rpc.ParameterStructures;
    const named = { subtrahend: 23, minuend: 42 };
    const names = new rpc.RequestType('subtract', byName);
    assert.strictEqual(await connection.sendRequest(names, named), 19);
    assert.strictEqual(await connection.sendRequest('subtract', byName, named), 19);
    assert.strictEqual(await connection.sendRequest('subtract', named), 19);
    assert.strictEqual(await connection.sendRequest(new rpc.RequestType2('subtract'), 42, 23), 19);
    // One value in a list, though it is an object.
    const echo = new rpc.RequestType1('echo', byPosition);
    assert.deepStrictEqual(await connection.sendRequest(echo, named), named);
  },

  async notifications(connection) {
    const notices = [];
    connection.onNotification('client/notice', (params) => notices.push(params));
    await connection.sendNotification('update', 1, 2, 3);
    await connection.sendNotification('no_such_thing', { a: 1 });
    await connection.sendNotification('notify_hello');
    for (const text of ['one', 'two', 'three']) {
      await connection.sendRequest('announce', text);
    }
    assert.deepStrictEqual(notices, [{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
  },

  // What the library itself sends: none of it is a method of the server.
  async protocol(connection) {
    await connection.trace(rpc.Trace.Verbose, { log() {} }, { sendNotification: true });
    await connection.sendProgress(new rpc.ProgressType(), 'token', { percent: 50 });
    await connection.sendNotification(rpc.SetTraceNotification.type, { value: 'off' });
    await connection.sendNotification('$/cancelRequest', { id: 1000 });
    assert.strictEqual(await connection.sendRequest('subtract', 3, 1), 2);
  },

  async calls_back(connection) {
    connection.onRequest('client/upper', ({ text }) => text.toUpperCase());
    assert.strictEqual(await connection.sendRequest('relay', 'abc'), 'ABC');
    const texts = ['x', 'y', 'z'];
    const answers = await Promise.all(texts.map((text) => connection.sendRequest('relay', text)));
    assert.deepStrictEqual(answers, ['X', 'Y', 'Z']);
  },

  async calls_back_and_fails(connection) {
    assert.strictEqual((await failure(connection.sendRequest('relay', 'abc'))).code, rpc.ErrorCodes.MethodNotFound);
    const refused = { code: 7, message: 'not now', data: [1, 2] };
    connection.onRequest('client/upper', () => new rpc.ResponseError(refused.code, refused.message, refused.data));
    assert.deepStrictEqual((await failure(connection.sendRequest('relay', 'abc'))).toJson(), refused);
  },

  async cancel(connection) {
    const source = new rpc.CancellationTokenSource();
    const slow = connection.sendRequest('sleep', 60_000, source.token);
    // The call has arrived when a later one is answered.
    await connection.sendRequest('subtract', 2, 1);
    source.cancel();
    const error = await soon(failure(slow), 5_000);
    assert.strictEqual(error.code, CANCELLED);
    assert.strictEqual(await connection.sendRequest('subtract', 3, 1), 2);
  },

  // The call and its end come in one piece.
  async cancel_at_once(connection) {
    const sources = Array.from({ length: 20 }, () => new rpc.CancellationTokenSource());
    const calls = sources.map((source) => failure(connection.sendRequest('sleep', 60_000, source.token)));
    sources.forEach((source) => source.cancel());
    const errors = await soon(Promise.all(calls), 5_000);
    assert.deepStrictEqual(errors.map(({ code }) => code), errors.map(() => CANCELLED));
    assert.strictEqual(await connection.sendRequest('subtract', 3, 1), 2);
  },

  // A call is given up while the server waits for this side: so is the server's own call.
  async cancel_reaches_back(connection) {
    const reached = new Promise((resolve) => {
      connection.onRequest('client/upper', async (_, token) => {
        resolve(token);
        await new Promise((done) => token.onCancellationRequested(done));
        return new rpc.ResponseError(CANCELLED, 'given up');
      });
    });
    const source = new rpc.CancellationTokenSource();
    const outer = connection.sendRequest('relay', 'abc', source.token);
    const inner = await reached;
    const cancelled = new Promise((done) => inner.onCancellationRequested(done));
    source.cancel();
    assert.strictEqual((await soon(failure(outer), 5_000)).code, CANCELLED);
    await soon(cancelled, 5_000);
    assert.strictEqual(await connection.sendRequest('subtract', 3, 1), 2);
  },

  async many_at_once(connection) {
    const numbers = Array.from({ length: 50 }, (_, number) => number);
    // The later they are asked, the sooner they are answered.
    const calls = numbers.map((number) => connection.sendRequest('sleep', 100 - 2 * number));
    const differences = numbers.map((number) => connection.sendRequest('subtract', 2 * number, number));
    assert.deepStrictEqual(await Promise.all(differences), numbers);
    assert.deepStrictEqual(await Promise.all(calls), numbers.map((number) => 100 - 2 * number));
  },

  async large(connection) {
    const text = 'ab\n"\\é😀 '.repeat(450_000);
    assert.ok(Buffer.byteLength(text) > 5_000_000);
    assert.ok((await connection.sendRequest('echo', text)) === text, 'another text came back');
    connection.onRequest('client/upper', ({ text }) => text);
    assert.ok((await connection.sendRequest('relay', text)) === text, 'another text came back by our own call');
  },

  async letters(connection) {
    const text = 'Grüße, Ελλάδα, 日本語, עברית, \u{1F469}\u200D\u{1F4BB}, \u2028, \u0000, \u007F';
    assert.strictEqual(await connection.sendRequest('echo', text), text);
    connection.onRequest('client/upper', ({ text }) => `${text}ß`);
    assert.strictEqual(await connection.sendRequest('relay', text), `${text}ß`);
    assert.strictEqual((await failure(connection.sendRequest('größe'))).code, rpc.ErrorCodes.MethodNotFound);
  },

  // What was asked before the end of the stream is answered after it.
  async answers_after_the_end(connection, output) {
    const slow = connection.sendRequest('sleep', 100);
    await connection.sendRequest('subtract', 2, 1);
    output.end();
    assert.strictEqual(await slow, 100);
  },
};

async function main([name, address]) {
  const { connection, output, ended } = open(address);
  connection.listen();
  await checks[name](connection, output);
  output.end();
  await soon(ended, 10_000);
  connection.dispose();
}

module.exports = Object.keys(checks);
if (require.main === module) {
  if (process.argv.length === 2) {
    console.log(module.exports.join('\n'));
  } else {
    main(process.argv.slice(2)).catch((error) => {
      console.error(error);
      process.exit(1);
    });
  }
}
