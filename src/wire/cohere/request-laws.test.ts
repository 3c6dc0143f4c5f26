import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chatRequestArbitrary } from '../../../test/support/canonical-arbitraries.ts'
import { LAW_RUNS } from '../../../test/support/law-runs.ts'
import { compareMeanings } from '../../../test/support/second-reader/compare-meanings.ts'
import { readChatRequest } from '../../../test/support/second-reader/read-chat-request.ts'
import { readCohereRequest } from '../../../test/support/second-reader/read-cohere-request.ts'
import type { LossFeature } from '../../canonical/loss.ts'
import { possibleLosses as losableInChat } from '../chat/request/possible-losses.ts'
import { writeRequest as writeChat } from '../chat/request/write-request.ts'
import { defaultDialect } from '../dialect.ts'
import { possibleLosses } from './request/possible-losses.ts'
import { writeRequest } from './request/write-request.ts'

/** A chat server that takes everything that the format has. */
const chat = {
  model: 'm',
  dialect: {
    ...defaultDialect,
    reasoning: 'effort',
    reasoningReplay: 'reasoning_content',
    acceptsTopK: true,
    cacheMarks: true,
  },
} as const

/** Features that some chat server cannot take, and that this dialect and Cohere can. */
const sayable: ReadonlySet<LossFeature> = new Set<LossFeature>([
  'cache-mark',
  'top-k',
  'seed',
  'stop-sequences',
  'sampling',
  'frequency-penalty',
  'presence-penalty',
  'tool-strict',
])

// An oracle that knows nothing of the writers reads both the chat request and the body for Cohere.
it.each(['none', 'effort'] as const)(
  'no request has a silent loss, whatever it holds (models of reasoning: %s)',
  (reasoning) => {
    const cohere = { model: 'm', dialect: { ...defaultDialect, toolChoices: 'words', reasoning } } as const
    const without = losableInChat.filter((feature) => !sayable.has(feature))
    let compared = 0
    fc.assert(
      fc.property(chatRequestArbitrary({ without }), (request) => {
        const said = writeChat(request, chat)
        fc.pre(said.losses.length === 0)
        const written = writeRequest(request, cohere)
        for (const { feature } of written.losses) expect(possibleLosses).toContain(feature)
        const losses = written.losses.map(({ feature, field = '' }) => ({ feature, field }))
        const caller = readChatRequest(said.value)
        const { toolChoice, tools } = caller
        // A chosen tool is offered alone.
        const chosen = tools.filter(({ name }) => toolChoice === `tool ${name}`)
        const upstream = readCohereRequest(written.value)
        expect(
          compareMeanings({
            caller: { ...caller, tools: chosen.length > 0 ? chosen : tools },
            upstream,
            losses,
          }).silent,
        ).toEqual([])
        compared += 1
      }),
      { numRuns: LAW_RUNS },
    )
    expect(compared).toBeGreaterThanOrEqual(LAW_RUNS)
  },
)
