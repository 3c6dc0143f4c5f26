import { connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { readDatabase } from '../../src/config/database-schema.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { ChangeFeed, type ChangeFeedOptions } from '../../src/storage/postgres/change-feed.ts'
import { until } from '../support/until.ts'
import { openPool, useDatabase } from './open-stores.ts'

const shared = useDatabase()

/** An address whose first connection leads to the server, and whose others are never answered. */
async function openFirstOnly(port: number) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    if (sockets.length > 1) return
    const target = connect(port, '127.0.0.1')
    socket.pipe(target).pipe(socket)
    target.on('error', () => undefined)
    socket.on('close', () => target.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

type FeedParts = Pick<ChangeFeedOptions, 'database' | 'settings' | 'onChange'>

function createFeed(parts: FeedParts): ChangeFeed {
  return new ChangeFeed({
    ...parts,
    clock: systemClock,
    onNeed: () => undefined,
    onEvents: async () => undefined,
  })
}

it('the node polls for changes while its notification connection is lost and cannot be replaced', async () => {
  const { database, url, server } = shared.current
  await using firstOnly = await openFirstOnly(server.port)
  const settings = { ...readDatabase(url), port: firstOnly.port, connectTimeoutMs: 60_000 }
  const seen: string[] = []
  const feed = createFeed({ database, settings, onChange: async (topic) => void seen.push(topic) })
  await feed.start()
  firstOnly.sockets[0]?.destroy()
  await until('another connection is tried', () => firstOnly.sockets.length > 1)
  for (const count of [1, 2]) {
    await database.query("update changes set version = version + 1 where topic = 'keys'")
    await until('the change is seen', () => seen.length === count)
  }
  await feed.stop()
  expect(seen).toEqual(['keys', 'keys'])
})

it('the events that were sent while the node started are read, although no other event follows', async () => {
  const { database, url } = shared.current
  await database.query("update changes set version = version + 1 where topic = 'node_events'")
  let reads = 0
  const feed = new ChangeFeed({
    database,
    settings: readDatabase(url),
    clock: systemClock,
    onChange: async () => undefined,
    onNeed: () => undefined,
    async onEvents() {
      reads += 1
    },
  })
  await feed.start()
  await until('the events are read', () => reads > 0)
  await feed.stop()
  expect(reads).toBe(1)
})

it('a topic that cannot be read yet does not delay other topics', async () => {
  const { database, url } = shared.current
  const seen: string[] = []
  const feed = createFeed({
    database,
    settings: readDatabase(url),
    async onChange(topic) {
      seen.push(topic)
      if (topic === 'keys' && seen.length < 5) throw new Error('not yet')
    },
  })
  await feed.start()
  await database.query("update changes set version = version + 1 where topic in ('keys', 'config_versions')")
  await until('both are read', () => seen.includes('config_versions'))
  await until('the first is read again until it can be', () => seen.length >= 5)
  await feed.stop()
  expect(seen.filter((topic) => topic === 'config_versions')).toHaveLength(1)
})

it('a slow topic does not delay later changes of other topics', async () => {
  const { database, url } = shared.current
  const seen: string[] = []
  const isRead = Promise.withResolvers<void>()
  const feed = createFeed({
    database,
    settings: readDatabase(url),
    async onChange(topic) {
      seen.push(topic)
      if (topic === 'config_versions') await isRead.promise
    },
  })
  await feed.start()
  await database.query("update changes set version = version + 1 where topic = 'config_versions'")
  await until('the slow one is being read', () => seen.length === 1)
  await database.query("update changes set version = version + 1 where topic = 'keys'")
  await until('the other one is read', () => seen.length === 2)
  isRead.resolve()
  await feed.stop()
  expect(seen).toEqual(['config_versions', 'keys'])
})

it('the node polls for changes while all connections of the pool are in use', async () => {
  const { url, server } = shared.current
  await using open = new AsyncDisposableStack()
  const database = await openPool(url)
  open.defer(() => database.close())
  const settings = readDatabase(url)
  const seen: string[] = []
  const feed = createFeed({ database, settings, onChange: async (topic) => void seen.push(topic) })
  await feed.start()
  const used = await Promise.all(Array.from({ length: settings.connections }, () => database.reserve()))
  await server.query(url, "update headgate.changes set version = version + 1 where topic = 'keys'")
  await until('the change is seen', () => seen.length === 1)
  for (const connection of used) connection.release()
  await feed.stop()
  expect(seen).toEqual(['keys'])
})
