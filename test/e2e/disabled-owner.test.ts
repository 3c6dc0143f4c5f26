import { expect, it } from 'vitest'
import { keyA, keyB } from '../support/object-gateway.ts'
import { createBatchOf, lineOf, openBatchGateway } from '../support/open-batch-gateway.ts'
import { refusalOf } from '../support/open-gateway.ts'

it('a batch and its file cannot be reached while their channel is disabled, and can be afterwards', async () => {
  await using open = await openBatchGateway()
  const { id, input_file_id: file } = await createBatchOf(open.clientOf(keyA), [lineOf(1)])
  const before = open.upstream.requests.length
  await open.restart((line) => line.replace('name: c,', 'name: c, disabled: true,'))
  const client = open.clientOf(keyA)
  expect((await client.batches.list()).data).toMatchObject([{ id }])
  const asks = [
    ['batch', id, () => client.batches.retrieve(id)],
    ['batch', id, () => client.batches.cancel(id)],
    ['file', file, () => client.files.content(file)],
    ['file', file, () => client.files.delete(file)],
  ] as const
  for (const [shown, name, ask] of asks)
    expect(await refusalOf(ask())).toMatchObject({
      status: 503,
      code: 'no_channel',
      message: expect.stringContaining(`The ${shown} "${name}" cannot be reached`),
    })
  // Another key does not learn that there is such a batch.
  expect(await refusalOf(open.clientOf(keyB).batches.retrieve(id))).toMatchObject({
    status: 404,
    code: 'object_not_found',
  })
  expect(open.upstream.requests.length).toBe(before)
  await open.restart((line) => line.replace('disabled: true,', ''))
  expect(await open.clientOf(keyA).batches.retrieve(id)).toMatchObject({ id })
})
