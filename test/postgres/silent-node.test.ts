import { expect, onTestFinished, test } from 'vitest'
import type { LeaseOrder } from '../../src/metering/leases/meter-store.ts'
import { createPostgresMeterStore } from '../../src/storage/postgres/ledger/meter-store-postgres.ts'
import { createPostgresNodes } from '../../src/storage/postgres/nodes-postgres.ts'
import type { PostgresDatabase } from '../../src/storage/postgres/open-postgres.ts'
import { openTcpForwarder } from '../support/tcp-forwarder.ts'
import { untilAsync } from '../support/until.ts'
import { nodeDetails, openPool, useDatabase } from './open-stores.ts'

const shared = useDatabase()

const order: LeaseOrder = {
  asks: [
    {
      window: { counter: 'key/one', windowStartMs: 0, windowEndMs: undefined },
      isRolling: false,
      ceiling: 1_000,
      needed: 10,
      minimum: 10,
      ahead: 10,
    },
  ],
  returns: [],
}

test('a node that is cut off in the middle of a statement delays those of others by a second at most', async () => {
  const { database, server, url } = shared.current
  const forwarder = await openTcpForwarder(server.port)
  const through = new URL(url)
  through.port = String(forwarder.port)
  const cutOff = await openPool(through.href)
  onTestFinished(async () => {
    await forwarder[Symbol.asyncDispose]()
    await cutOff.close()
  })
  const nodes = createPostgresNodes(database)
  const [one, other] = [await nodes.join(nodeDetails, {}), await nodes.join({ ...nodeDetails, id: 'b' }, {})]
  const { promise: isLocked, resolve } = Promise.withResolvers<void>()
  const silent = createPostgresMeterStore(
    onFirstAnswer(cutOff, () => {
      forwarder.hold('to-server', 'from-server')
      resolve()
    }),
  ).lease(one.epoch, order)
  silent.catch(() => undefined)
  await isLocked
  const startMs = performance.now()
  const leases = await createPostgresMeterStore(database).lease(other.epoch, order)
  expect(leases).toHaveLength(1)
  expect(performance.now() - startMs).toBeLessThan(2_000)
})

test('a transaction that the server ended, since its process was silent, is retried', async () => {
  const { database } = shared.current
  let tries = 0
  const answer = await database.transaction(async (transaction) => {
    tries += 1
    const { rows } = await transaction.query(
      "select pg_backend_pid() as pid, set_config('idle_in_transaction_session_timeout', $1, true)",
      [tries === 1 ? '1' : '10000'],
    )
    const pid = Number(rows[0]?.['pid'])
    const isGone = async () =>
      (await database.query('select from pg_stat_activity where pid = $1', [pid])).count === 0
    if (tries === 1) await untilAsync('the server has ended the transaction', isGone)
    return (await transaction.query('select 7 as answer')).rows[0]?.['answer']
  })
  expect([answer, tries]).toEqual([7, 2])
})

/** The same database, which says when the first statement of a transaction was answered. */
function onFirstAnswer(database: PostgresDatabase, answered: () => void): PostgresDatabase {
  return {
    name: database.name,
    query: (sql, parameters) => database.query(sql, parameters),
    longTransaction: (work, limitMs) => database.longTransaction(work, limitMs),
    reserve: () => database.reserve(),
    close: () => database.close(),
    transaction: (work) =>
      database.transaction((queries) =>
        work({
          async query(sql, parameters) {
            const result = await queries.query(sql, parameters)
            answered()
            return result
          },
        }),
      ),
  }
}
