import type Anthropic from '@anthropic-ai/sdk'
import { expect } from 'vitest'
import { keyA, keyB, keyOfDollar, keyOfOther } from './object-gateway.ts'
import { refusalOf } from './open-gateway.ts'
import { openMessageGateway, requestOf } from './open-message-gateway.ts'

/**
 * Makes so many batches and files with one key, and has three others ask for everything of them, by our ids and the
 * provider's. Gives the number of requests, each of which must be refused before the provider hears of it.
 */
export async function probeMessageObjects(objectCount: number): Promise<number> {
  await using open = await openMessageGateway()
  const owner = open.clientOf(keyA)
  const batches: string[] = []
  const files: string[] = []
  for (let index = 0; index < objectCount; index += 1) {
    batches.push((await owner.messages.batches.create({ requests: [requestOf(`r-${index}`)] })).id)
    files.push((await owner.files.upload({ file: new File([`file ${index}`], 'a.txt') })).id)
  }
  open.upstream.finish({ input_tokens: 1, output_tokens: 1 })
  for (const id of batches) await owner.messages.batches.retrieve(id)
  const remoteBatches = [...open.upstream.batches.keys()]
  const remoteFiles = [...open.upstream.files.keys()]
  const before = open.upstream.requests.length
  let probes = 0
  const probe = async (asks: readonly (() => Promise<unknown>)[]) => {
    for (const ask of asks) {
      expect(await refusalOf(ask())).toMatchObject({ status: 404 })
      probes += 1
    }
  }
  for (const key of [keyB, keyOfDollar, keyOfOther]) {
    const client = open.clientOf(key)
    const model = key === keyOfOther ? 'other' : 'm'
    await probe([...batches, ...remoteBatches, ...files].flatMap((id) => asksOfBatch(client, id)))
    await probe([...files, ...remoteFiles, ...batches].flatMap((id) => asksOfFile(client, id, model)))
    expect((await client.files.list()).data).toEqual([])
    expect((await client.messages.batches.list()).data).toEqual([])
  }
  // The owner gets nothing by the provider's own ids either, nor by the paths of OpenAI's form.
  await probe(remoteBatches.flatMap((id) => asksOfBatch(owner, id)))
  await probe(remoteFiles.flatMap((id) => asksOfFile(owner, id, 'm')))
  for (const id of [...files, ...batches, ...remoteFiles]) {
    for (const path of [`/v1/files/${id}`, `/v1/files/${id}/content`, `/v1/batches/${id}`]) {
      const answer = await fetch(open.gateway.url + path, { headers: { authorization: `Bearer ${keyA}` } })
      expect(answer.status).toBe(404)
      probes += 1
    }
  }
  expect(open.upstream.requests.length).toBe(before)
  return probes
}

function asksOfBatch({ messages: { batches } }: Anthropic, id: string) {
  return [
    () => batches.retrieve(id),
    () => batches.cancel(id),
    () => batches.delete(id),
    () => batches.results(id),
  ]
}

function asksOfFile({ files, messages }: Anthropic, id: string, model: string) {
  const content = [{ type: 'document' as const, source: { type: 'file' as const, file_id: id } }]
  const params = { ...requestOf('').params, model, messages: [{ role: 'user' as const, content }] } as never
  return [
    () => files.retrieveMetadata(id),
    () => files.download(id),
    () => files.delete(id),
    () => messages.create(params) as Promise<unknown>,
    () => messages.countTokens(params),
    () => messages.batches.create({ requests: [{ custom_id: 'one', params }] }),
  ]
}
