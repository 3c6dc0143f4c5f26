import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { until } from '../../../test/support/until.ts'
import { systemClock } from '../time/clock.ts'
import { CallClient, type CallClientOptions } from './call-client.ts'
import { CallHost, type CallHostOptions } from './call-host.ts'
import type { FaultCodec } from './call-message.ts'
import { callableFor } from './called-object.ts'
import { MAX_CALL_FRAME_BYTES, writeCallFrame } from './frames.ts'

const faults: FaultCodec = {
  write: (error) => (error instanceof Error ? error.message : String(error)),
  read: (fault) => new Error(`host: ${String(fault)}`),
}

let path = ''
let ended: (() => void)[] = []
beforeEach(() => {
  path = join(makeTemporaryFolder(), 's')
  ended = []
})
afterEach(() => {
  for (const end of ended.toReversed()) end()
})

/** An object that names the process that calls, fails, or answers once it may. */
function createObject(answered: Promise<unknown> = Promise.resolve()) {
  return callableFor(
    (process) => ({
      echo: (value: unknown) => ({ process, value }),
      fail: () => Promise.reject(new Error('full')),
      late: () => answered.then(() => 'late'),
      hidden: () => 'hidden',
    }),
    ['echo', 'fail', 'late'],
  )
}

async function listen(
  object = createObject(),
  options: Partial<CallHostOptions> = {},
): Promise<{ readonly host: CallHost; readonly gone: string[] }> {
  const gone: string[] = []
  const host = new CallHost({
    path,
    objects: { object },
    faults,
    clock: systemClock,
    onGone: (process) => gone.push(process),
    ...options,
  })
  await host.listen()
  ended.push(() => host.close())
  return { host, gone }
}

function open(process: string, options: Partial<CallClientOptions> = {}) {
  const connections: string[] = []
  const client = new CallClient({
    path,
    process,
    faults,
    clock: systemClock,
    unavailable: (reason) => new Error(reason),
    onEvent: () => undefined,
    onConnectedAnew: (how) => connections.push(how),
    ...options,
  })
  ended.push(() => client.close())
  return {
    connections,
    call: (method: string, ...args: unknown[]) => client.call('object', method, args),
    client,
  }
}

/** A connection that writes bytes of its own. */
async function connectRaw(): Promise<Socket> {
  const socket = connect(path)
  ended.push(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

it('calls made before the host listens are answered, each for its own process', async () => {
  const [one, other] = [open('one'), open('other')]
  const answers = [one.call('echo', 1), other.call('echo', new Map([[1, 2n]]))]
  await listen()
  expect(await Promise.all(answers)).toEqual([
    { process: 'one', value: 1 },
    { process: 'other', value: new Map([[1, 2n]]) },
  ])
})

it('an error of the host fails the call, and a method that is not exposed cannot be called', async () => {
  await listen()
  const { call } = open('one')
  await expect(call('fail')).rejects.toThrow('host: full')
  await expect(call('hidden')).rejects.toThrow('nothing answers object.hidden')
  await expect(call('toString')).rejects.toThrow('nothing answers object.toString')
})

it('a call that cannot be serialized fails alone, sent at once or queued', async () => {
  const { call } = open('one')
  const waiting = [call('echo', () => 1), call('echo', 2)]
  const settled = Promise.allSettled(waiting)
  await listen()
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  const sent = [call('echo', () => 1), call('echo', 2)]
  expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

it('a host that dies in the middle of an answer fails that call, and the next host answers the next one', async () => {
  const answer = writeCallFrame({ type: 'answer', id: 1, value: 'x'.repeat(1_000) })
  const dying = createServer((socket) => {
    socket.once('data', () => {
      dying.close()
      socket.write(answer.subarray(0, answer.length - 1), () => socket.destroy())
    })
  }).listen(path)
  await once(dying, 'listening')
  const { call, connections } = open('one')
  await expect(call('echo', 1)).rejects.toThrow('ended before it answered')
  const next = call('echo', 2)
  await listen()
  expect(await next).toEqual({ process: 'one', value: 2 })
  expect(connections).toEqual(['lost'])
})

it('calls wait two seconds for a dead host, then fail at once, and work again when the host is back', async () => {
  const clock = createFakeClock()
  const { host } = await listen()
  const { call } = open('one', { clock })
  await call('echo', 1)
  host.close()
  await until('the end of the connection is seen', () => clock.pendingTimers > 0)
  const waiting = call('echo', 2)
  const failed = expect(waiting).rejects.toThrow('is away')
  clock.advance(2_000)
  await failed
  await expect(call('echo', 3)).rejects.toThrow('is away')
  const again = await listen()
  await until('it is connected', () => {
    clock.advance(25)
    return again.host.size === 1
  })
  expect(await call('echo', 4)).toEqual({ process: 'one', value: 4 })
})

it('the number of waiting calls is bounded', async () => {
  const { call, client } = open('one')
  const waiting = Promise.allSettled(Array.from({ length: 20_000 }, () => call('echo', 1)))
  await expect(call('echo', 1)).rejects.toThrow('too many calls wait')
  client.close()
  const statuses = (await waiting).map(({ status }) => status)
  expect(statuses.every((status) => status === 'rejected')).toBe(true)
})

it('a host that hands over answers its running calls, and the next host answers new ones', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { host } = await listen(createObject(promise))
  const { call, connections } = open('one')
  await call('echo', 1)
  const running = call('late')
  const paused = host.pause()
  resolve()
  expect(await running).toBe('late')
  await paused
  const next = call('echo', 2)
  await listen()
  expect(await next).toEqual({ process: 'one', value: 2 })
  expect(connections).toEqual(['handed-over'])
})

it('a process that dies in the middle of a frame is removed, and the calls of others are answered', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { gone } = await listen(createObject(promise))
  const { call } = open('one')
  const late = call('late')
  const raw = await connectRaw()
  const frame = writeCallFrame({ type: 'call', id: 1, object: 'object', method: 'echo', args: [1] })
  raw.write(Buffer.concat([writeCallFrame({ type: 'hello', process: 'dying' }), frame.subarray(0, 9)]))
  await call('echo', 1)
  raw.destroy()
  await until('the host has seen it', () => gone.length > 0)
  expect(gone).toEqual(['dying'])
  resolve()
  expect(await late).toBe('late')
})

it('a peer that announces a frame above the size limit is disconnected', async () => {
  const { gone } = await listen()
  const raw = await connectRaw()
  const length = Buffer.alloc(4)
  length.writeUInt32LE(MAX_CALL_FRAME_BYTES + 1)
  const echo = writeCallFrame({ type: 'call', id: 1, object: 'object', method: 'echo', args: [1] })
  raw.write(Buffer.concat([writeCallFrame({ type: 'hello', process: 'large' }), echo]))
  await once(raw, 'data')
  raw.write(length)
  await once(raw, 'close')
  await until('the host has seen it', () => gone.length > 0)
  expect(gone).toEqual(['large'])
})

it('an announcement waits until each process has applied it, but not for a process that dies', async () => {
  const { host, gone } = await listen()
  const { promise, resolve } = Promise.withResolvers<void>()
  const heard: string[] = []
  const one = open('one', {
    onEvent: async (topic) => {
      await promise
      heard.push(topic)
    },
  })
  const other = open('other', { onEvent: () => other.client.close() })
  await Promise.all([one.call('echo', 1), other.call('echo', 1)])
  const announced = host.announce('keys', undefined)
  await until('one is gone', () => gone.includes('other'))
  expect(heard).toEqual([])
  resolve()
  await announced
  expect(heard).toEqual(['keys'])
})
