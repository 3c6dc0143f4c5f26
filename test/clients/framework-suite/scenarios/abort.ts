import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { FrameworkScenario } from '../framework-scenario.ts'
import { holdsText } from '../holds-text.ts'

const WITHIN_MS = 1_000

/** The program leaves after the first piece, and nothing more would come. */
export const abort: FrameworkScenario = {
  name: 'abort',
  async run({ open }) {
    const leaving = new AbortController()
    await using bench = await open(() => ({
      text: 'These words are sent, and then no more of them come for a long time.',
      alter: ({ chunks = [], ...answer }) => {
        const sent = chunks.slice(0, chunks.findIndex(holdsText) + 1)
        return { ...answer, chunks: sent, ending: 'hang' }
      },
    }))
    const call = bench.client.stream('Go on.', {
      signal: leaving.signal,
      onText: (piece) => (piece === '' ? undefined : leaving.abort()),
    })
    await Promise.allSettled([call])
    const request = bench.upstream.heard[0]?.request
    ok(request, 'the upstream was not asked')
    await Promise.race([request.closed, wait(WITHIN_MS)])
    ok(request.abortedAtMs !== undefined, `the upstream was not left within ${WITHIN_MS} ms`)
    equal(bench.upstream.heard.length, 1, 'the upstream was asked again')
  },
}
