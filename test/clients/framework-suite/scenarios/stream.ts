import { deepEqual, equal } from 'node:assert/strict'
import { createGate } from '../../../support/gate.ts'
import type { ScriptedAnswer } from '../../../support/scripted-upstream.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'
import { holdsText } from '../holds-text.ts'
import { totalUsage } from './text.ts'

const words = 'One piece after the other: \u00e4\u6f22\u{1f680}, "quoted", and the end.'

/** Each piece is sent only once the program has been given the one before it. */
export const stream: FrameworkScenario = {
  name: 'stream',
  async run({ open, channelFormat }) {
    const gates = Array.from(words, createGate)
    let received = ''
    let isAhead = false
    const alter = ({ chunks = [], ...answer }: ScriptedAnswer): ScriptedAnswer => ({
      ...answer,
      chunks: chunks.flatMap((chunk, index) => {
        const piece = holdsText(chunk) ? chunks.slice(0, index + 1).filter(holdsText).length : 0
        return piece === 0 ? [chunk] : [chunk, gates[piece - 1]?.opened ?? chunk]
      }),
    })
    await using bench = await open(() => ({ text: words, alter }))
    let pieces = 0
    const answer = await bench.client.stream('Go on.', {
      signal: new AbortController().signal,
      onText(piece) {
        if (piece === '') return
        received += piece
        isAhead ||= !words.startsWith(received)
        gates[pieces]?.open()
        pieces += 1
      },
    })
    equal(isAhead, false, 'the pieces came in another order')
    equal(received, words)
    equal(answer.text, words)
    if (answer.usage !== undefined) deepEqual(answer.usage, totalUsage(channelFormat))
  },
}
