// The other side of ours with jayson, one message a line over TCP.
//
//   node jayson.js server         at a free port of 127.0.0.1, which it says on stderr
//   node jayson.js client PORT    of our demo_server; exits with 0 if all came as it should

const assert = require('node:assert');
const { promisify } = require('node:util');
const jayson = require('jayson');

const methods = {
  subtract(params, callback) {
    const [a, b] = Array.isArray(params) ? params : [params.minuend, params.subtrahend];
    callback(null, a - b);
  },
  echo: ([value], callback) => callback(null, value),
  divide: ([dividend], callback) => callback({ code: 1001, message: 'division by zero', data: { dividend } }),
  late: ([ms], callback) => setTimeout(callback, ms, null, ms),
  update(params) {
    console.error(`update: ${JSON.stringify(params)}`);
  },
};

function serve() {
  const server = new jayson.Server(methods).tcp();
  server.listen(0, '127.0.0.1', () => console.error(`listening on ${server.address().port}`));
}

async function call(port) {
  const client = jayson.Client.tcp({ host: '127.0.0.1', port });
  const request = promisify(client.request.bind(client));
  const answer = async (...of) => {
    const { result, error } = await request(...of);
    return error ?? result;
  };
  assert.strictEqual(await answer('subtract', [42, 23]), 19);
  assert.strictEqual(await answer('subtract', { subtrahend: 23, minuend: 42 }), 19);
  assert.strictEqual(await answer('echo', ['grüße 😀']), 'grüße 😀');
  const divided = { code: 1001, message: 'division by zero', data: { dividend: 1 } };
  assert.deepStrictEqual(await answer('divide', [1, 0]), divided);
  assert.deepStrictEqual(await answer('no_such', []), { code: -32601, message: 'Method not found' });
  const batch = [
    client.request('subtract', [3, 2], undefined, false),
    client.request('update', [1], null, false),
    client.request('no_such', [], undefined, false),
  ];
  const answers = await request(batch);
  assert.deepStrictEqual(answers.map(({ result, error }) => result ?? error.code), [1, -32601]);
}

const [what, port] = process.argv.slice(2);
if (what === 'server') {
  serve();
} else {
  call(Number(port)).catch((error) => {
    console.error(error);
    process.exit(1);
  });
}
