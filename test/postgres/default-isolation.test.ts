import { expect, test } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { useNodes } from './open-nodes.ts'

const { openNodes, database } = useNodes()
const KEYS_EACH = 8

test('nodes make changes at the same time, whichever isolation is the default of the database', async () => {
  const { server, url } = database()
  const name = new URL(url).pathname.slice(1)
  await server.query(url, `alter database ${name} set default_transaction_isolation = 'serializable'`)
  const { nodes } = await openNodes()
  const statuses = await Promise.all(
    nodes.flatMap((node, index) =>
      Array.from({ length: KEYS_EACH }, async (_, count) => {
        const body = { name: `key-${index}-${count}`, models: ['*'] }
        return (await createAskAdmin(node.url)('POST', '/keys', { body })).status
      }),
    ),
  )
  expect(statuses).toEqual(statuses.map(() => 201))
})
