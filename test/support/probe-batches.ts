import { expect } from 'vitest'
import { keyA, keyB, keyOfDollar, keyOfOther } from './object-gateway.ts'
import { createBatchOf, lineOf, openBatchGateway } from './open-batch-gateway.ts'
import { refusalOf } from './open-gateway.ts'

/**
 * Makes so many batches with one key, and has three others ask for everything of them, by our ids and the provider's.
 * Gives the number of requests, each of which must be refused before the provider hears of it.
 */
export async function probeBatches(batchCount: number): Promise<number> {
  await using open = await openBatchGateway()
  const owner = open.clientOf(keyA)
  const made: { readonly file: string; readonly batch: string }[] = []
  for (let index = 0; index < batchCount; index += 1) {
    const batch = await createBatchOf(owner, [lineOf(index)])
    made.push({ batch: batch.id, file: batch.input_file_id })
  }
  open.upstream.finish({ prompt_tokens: 1, completion_tokens: 1 })
  const outputs: string[] = []
  for (const { batch } of made) outputs.push((await owner.batches.retrieve(batch)).output_file_id ?? '')
  const remote = [...open.upstream.files.keys()]
  const files = [...made.map(({ file }) => file), ...outputs, ...remote]
  const batches = [...made.map(({ batch }) => batch), 'batch_REMOTE0000000002']
  const before = open.upstream.requests.length
  let probes = 0
  for (const key of [keyB, keyOfDollar, keyOfOther]) {
    const client = open.clientOf(key)
    const create = (id: string) =>
      client.batches.create({ input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' })
    const asks = [
      ...files.flatMap((id) => [
        () => client.files.retrieve(id),
        () => client.files.delete(id),
        () => client.files.content(id).then((answer) => answer.text()),
        () => create(id),
      ]),
      ...batches.flatMap((id) => [() => client.batches.retrieve(id), () => client.batches.cancel(id)]),
    ]
    for (const ask of asks) {
      expect(await refusalOf(ask())).toMatchObject({ status: 404, code: 'object_not_found' })
      probes += 1
    }
    expect((await client.files.list()).data).toEqual([])
    expect((await client.batches.list()).data).toEqual([])
  }
  // The owner gets nothing by the provider's own ids either.
  for (const id of remote) expect(await refusalOf(owner.files.retrieve(id))).toMatchObject({ status: 404 })
  expect(open.upstream.requests.length).toBe(before)
  return probes
}
