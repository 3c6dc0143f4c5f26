import { expect, it } from 'vitest'
import { callerFormats } from '../../src/app/formats.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { createDeadlineWatch } from '../../src/pipeline/response/deadline-watch.ts'
import { BodyBudget } from '../../src/server/body/body-budget.ts'
import { createDrainGate } from '../../src/server/drain-gate.ts'
import type { ListenerOptions } from '../../src/server/listener/listener-options.ts'
import { openListener } from '../../src/server/listener/open-listener.ts'
import type { ServerRoute } from '../../src/server/route.ts'
import { SocketSet } from '../../src/server/sockets/socket-set.ts'
import type { RequestRow } from '../../src/telemetry/observer.ts'
import { openCaller } from '../support/key-terms.ts'
import { openRawClient } from '../support/raw-client.ts'
import { throwFault } from '../support/throw-fault.ts'

function plant(): never {
  throw new Error('planted')
}

const routes: readonly ServerRoute[] = [
  {
    type: 'reply',
    method: 'GET',
    path: '/fine',
    policy: 'anyone',
    handle: () => ({ status: 200, body: 'fine' }),
  },
  { type: 'reply', method: 'GET', path: '/throws', policy: 'anyone', handle: plant },
  { type: 'reply', method: 'GET', path: '/rejects', policy: 'anyone', handle: async () => plant() },
  {
    type: 'reply',
    method: 'POST',
    path: '/v1/messages',
    policy: 'caller',
    format: 'messages',
    handle: plant,
  },
  {
    type: 'reply',
    method: 'GET',
    path: '/twice',
    policy: 'anyone',
    handle({ response }) {
      response.writeHead(200, { 'content-length': 5 }).end('whole')
      response.end('more')
      return 'handed-over'
    },
  },
]

const limits = {
  bodyBytes: 1_000_000,
  connections: 100,
  connectionsPerAddress: 100,
  heldBodyBytes: 1_000_000,
  heldBodyBytesOfKey: 1_000_000,
  uploadBytes: 1_000_000,
  uploadMemoryBytes: 1_000,
}

const accountAccess = { readAccount: plant, readCharged: plant, readCapture: plant }

/** A real listener, some part of which throws. */
async function openBroken(broken: Partial<ListenerOptions> = {}) {
  const rows: RequestRow[] = []
  const faults: unknown[] = []
  const listener = await openListener(
    {
      routes,
      socketRoutes: [],
      sockets: new SocketSet(systemClock, () => undefined),
      webSocket: () => undefined,
      random: systemRandom,
      limits,
      formats: callerFormats,
      callerAccess: {
        findAddress: () => '192.0.2.1',
        authenticate: plant,
        authenticateId: plant,
        ...accountAccess,
        listModels: plant,
      },
      serve: plant,
      realtime: { open: plant, makeSecret: plant, readSecret: plant, hasModel: plant },
      gate: createDrainGate({ clock: systemClock }),
      observer: { requestEnded: (row) => void rows.push(row) },
      reportFault: (_source, error) => void faults.push(error),
      clock: systemClock,
      watch: createDeadlineWatch(systemClock, throwFault),
      checkAdmin: () => undefined,
      admitOperator: async () => ({ type: 'admin-token' }),
      checkMetrics: () => undefined,
      adminHosts: () => ({ names: new Set() }),
      bodies: new BodyBudget(limits),
      uploads: new BodyBudget(limits),
      spool: { open: plant },
      ...broken,
    },
    { address: { host: '127.0.0.1', port: 0 } },
  )
  const { port } = listener.address
  const say = async (text: string, part: string): Promise<string> => {
    const client = await openRawClient(port)
    client.send(text)
    await client.until(part)
    client.close()
    return client.text
  }
  return {
    port,
    rows,
    faults,
    say,
    get: (path: string) => say(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`, '\r\n\r\n'),
    [Symbol.asyncDispose]: () => listener.close(),
  }
}

it.each(['/throws', '/rejects'])('a failing route, %s, is a 500 whose row has the stack', async (path) => {
  await using broken = await openBroken()
  expect(await broken.get(path)).toMatch(/^HTTP\/1\.1 500 .*"code":"internal_error"/s)
  expect(broken.rows).toMatchObject([{ path, status: 500, error: 'internal_error' }])
  expect(broken.rows[0]?.cause).toMatch(/^Error: planted\n +at .*contained-faults/)
  expect(await broken.get('/fine')).toContain('HTTP/1.1 200 ')
})

it('a failure while reading a body is a 500 in the form of its path', async () => {
  let isBroken = false
  const bodies = new BodyBudget({
    heldBodyBytesOfKey: limits.heldBodyBytesOfKey,
    get heldBodyBytes() {
      return isBroken ? plant() : limits.heldBodyBytes
    },
  })
  await using broken = await openBroken({
    bodies,
    callerAccess: {
      findAddress: () => '192.0.2.1',
      authenticate: () => openCaller,
      authenticateId: () => openCaller,
      ...accountAccess,
      listModels: plant,
    },
  })
  const client = await openRawClient(broken.port)
  client.send(
    'POST /v1/messages HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n' +
      'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
  )
  await client.until('100 Continue')
  isBroken = true
  client.send('8\r\n{"x": 1}\r\n0\r\n\r\n')
  await client.until('request_id')
  expect(client.text).toMatch(/HTTP\/1\.1 500 .*"type":"error".*"code":"internal_error"/s)
  expect(broken.rows[0]?.cause).toMatch(/^Error: planted\n +at /)
})

it('a fault before the request is parsed is a 500, and its connection closes', async () => {
  await using broken = await openBroken({
    callerAccess: {
      findAddress: plant,
      authenticate: plant,
      authenticateId: plant,
      ...accountAccess,
      listModels: plant,
    },
  })
  const client = await openRawClient(broken.port)
  client.send('GET /fine HTTP/1.1\r\nhost: x\r\n\r\n')
  await client.ended
  expect(client.text).toMatch(/^HTTP\/1\.1 500 .*connection: close.*"code":"internal_error"/is)
  expect(broken.faults.map(String)).toEqual(['Error: planted'])
})

it('a failing log truncates only the answer that it was recording', async () => {
  await using broken = await openBroken({ observer: { requestEnded: plant } })
  expect(await broken.get('/nowhere')).toContain('HTTP/1.1 404 ')
  expect(broken.faults.map(String)).toEqual(['Error: planted'])
  expect(await broken.get('/fine')).toContain('HTTP/1.1 200 ')
})

it('a write to an answer after its end causes no harm', async () => {
  await using broken = await openBroken()
  expect(await broken.get('/twice')).toContain('HTTP/1.1 200 ')
  expect(await broken.get('/fine')).toContain('HTTP/1.1 200 ')
  expect(broken.faults).toHaveLength(1)
})
