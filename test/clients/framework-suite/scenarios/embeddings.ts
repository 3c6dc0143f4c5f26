import { deepEqual, equal, match } from 'node:assert/strict'
import { vectorOf } from '../answer-embeddings.ts'
import { failureOf } from '../failure-of.ts'
import type { Bench, FrameworkScenario } from '../framework-scenario.ts'

const texts = ['a text', '\u00e4nother', 'the third']

export const embeddings: FrameworkScenario = {
  name: 'embeddings',
  findLedgerRefusal: ({ framework }) => framework.without?.['embeddings'],
  async run({ open, channelFormat }) {
    await using bench = await open(() => ({}))
    if (channelFormat === 'chat') {
      deepEqual(await embed(bench), texts.map(vectorOf))
      return
    }
    const { status, words } = await failureOf(embed(bench))
    equal(status, 400, words)
    match(words, /embedding/i)
    equal(bench.upstream.server.requests.length, 0, 'the upstream was asked')
  },
}

async function embed({ connect }: Bench): Promise<readonly (readonly number[])[]> {
  const { embed: call } = connect({ model: 'demo-embed' })
  if (call === undefined) throw new Error('the library has no embeddings and does not say why')
  return await call([...texts])
}
