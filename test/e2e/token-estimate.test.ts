import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { estimateInputTokens } from '../../src/canonical/input-size/estimate-input-tokens.ts'
import type { ChatRequest } from '../../src/canonical/request.ts'
import { isJsonObject } from '../../src/kit/json/json.ts'
import { chooseVocabulary } from '../../src/providers/models/choose-vocabulary.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { dataOfEvent, splitEvents } from '../support/ask.ts'
import { type CorpusCase, type CorpusRow, loadCases } from '../support/corpus.ts'
import { fieldsOf } from '../support/judged.ts'

const apis = ['openai.chat', 'anthropic.messages', 'anthropic.count_tokens']
const isCounted = ({ api, status }: CorpusRow) => apis.includes(api) && status === 200
const cases = loadCases({ where: isCounted })

interface Measured {
  readonly id: string
  readonly family: 'claude' | 'gpt' | 'others'
  /** |estimate − truth| / truth */
  readonly error: number
}

/** The service adds prompts of its own for these, which nobody outside can know. */
const hostedFeatures = ['server_tools', 'citations']

function readBody({ api, request }: CorpusCase): ChatRequest | undefined {
  const body = request?.body
  if (!isJsonObject(body)) return undefined
  const named = { model: 'unnamed', ...body }
  return api === 'openai.chat'
    ? chatFormat.readRequest(named)
    : messagesFormat.readRequest({ max_tokens: 1, ...named })
}

/** The count of the service: in the body, or in an event of the stream. */
function truthOf({ response }: CorpusCase): number {
  const events = response.sse === undefined ? [response.body] : splitEvents(response.sse).map(dataOfEvent)
  let found = 0
  for (const event of events) {
    const fields = fieldsOf(event)
    const usage = fieldsOf(fields['usage'] ?? fieldsOf(fields['message'])['usage'] ?? event)
    const input = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'prompt_tokens']
    found ||= input.reduce((sum, name) => sum + (Number(usage[name]) || 0), 0)
  }
  return found
}

function familyOf(model: string, provider: string): Measured['family'] {
  if (model.includes('claude')) return 'claude'
  return ['openai', 'azure'].includes(provider) && !model.includes('grok') ? 'gpt' : 'others'
}

function measure(recorded: CorpusCase): Measured | undefined {
  const request = readBody(recorded)
  const truth = truthOf(recorded)
  if (request === undefined || truth === 0 || recorded.notes !== undefined) return undefined
  const isHosted = request.tools?.some(({ type }) => type === 'hosted') === true
  if (isHosted || hostedFeatures.some((feature) => recorded.features.includes(feature))) return undefined
  const path = recorded.request?.path ?? ''
  const model = request.model === 'unnamed' ? path : request.model
  const error = Math.abs(estimateInputTokens(request, chooseVocabulary(model)) - truth) / truth
  return { id: recorded.id, family: familyOf(model, recorded.provider), error }
}

/** The constants were fitted to the other half. */
function isHeldOut({ id }: Measured): boolean {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 1
}

function quantile(errors: readonly number[], share: number): number {
  return [...errors].sort((left, right) => left - right)[Math.floor(errors.length * share)] ?? Number.NaN
}

describe.skipIf(cases === undefined)(
  'the estimate of input tokens compared with the counts of services',
  () => {
    const heldOut = (cases ?? [])
      .map(measure)
      .filter((one) => one !== undefined)
      .filter(isHeldOut)

    it.each([
      ['claude', 90, 0.1, 0.3],
      ['gpt', 60, 0.12, 0.4],
      ['others', 90, 0.3, 0.9],
    ] as const)(
      'for %s (%i cases or more) differs by %d at the median, by %d at the 90th percentile at most',
      (family, minCases, median, high) => {
        const errors = heldOut.filter((one) => one.family === family).map(({ error }) => error)
        const found = [quantile(errors, 0.5), quantile(errors, 0.9)]
        process.stdout.write(
          `token estimate, ${family}: ${errors.length} held out, median ${found[0]?.toFixed(3)}, 90th percentile ${found[1]?.toFixed(3)}\n`,
        )
        expect(errors.length).toBeGreaterThanOrEqual(minCases)
        expect(found[0]).toBeLessThanOrEqual(median)
        expect(found[1]).toBeLessThanOrEqual(high)
      },
    )
  },
)
