import { ok } from 'node:assert/strict'
import { failureOf } from '../failure-of.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'

const words = 'Half of this is all that ever comes, and nobody may take it for the whole.'

export const cut: FrameworkScenario = {
  name: 'cut',
  async run({ open }) {
    await using bench = await open(() => ({
      text: words,
      alter: ({ chunks = [], ...answer }) => ({
        ...answer,
        chunks: chunks.slice(0, chunks.length / 2),
        ending: 'reset',
      }),
    }))
    let received = ''
    await failureOf(
      bench.client.stream('Go on.', {
        signal: new AbortController().signal,
        onText(piece) {
          received += piece
        },
      }),
    )
    ok(received !== '' && words.startsWith(received), `received other words: ${received}`)
  },
}
