import { describe, expect, it } from 'vitest'
import { createCandidate } from '../../../test/support/create-candidate.ts'
import { openCaller } from '../../../test/support/key-terms.ts'
import { readGrant } from '../../access/permission.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { ChannelFormatId, FormatId } from '../../canonical/format.ts'
import { BodyIntake } from '../../kit/json/body-intake.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { Provider, ProviderRegistry } from '../../providers/provider.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { cohereFormat } from '../../wire/cohere/format.ts'
import { converseFormat } from '../../wire/converse/format.ts'
import { geminiFormat } from '../../wire/gemini/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { responsesFormat } from '../../wire/responses/format.ts'
import { parseBody } from '../../wire/verbatim/parse-body.ts'
import type { ConversationExchange } from '../exchange/exchange.ts'
import { ReasoningCache } from '../reasoning/reasoning-cache.ts'
import { createReasoningSeal } from '../reasoning/reasoning-seal.ts'
import { openLane } from './open-lane.ts'

const callers = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const reasoningContinuity = {
  seal: createReasoningSeal('a secret of the installation'),
  cache: new ReasoningCache(systemClock),
}
const formats = { ...callers, cohere: cohereFormat, converse: converseFormat }

/** Of providers whose path has them. */
const settings = { project: 'p', region: 'global' }

const question = { role: 'user', content: 'Hi' }
const bodies: Readonly<Record<FormatId, object>> = {
  chat: { model: 'm', messages: [question] },
  messages: { model: 'm', max_tokens: 9, messages: [question] },
  responses: { model: 'm', input: 'Hi' },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
}

interface Asked {
  readonly provider: Provider
  readonly format: FormatId
  /** Where it is not the caller's. */
  readonly channelFormat?: ChannelFormatId
  readonly more?: object
  readonly isRewritten?: true
  readonly allowed?: readonly string[]
}

/** The lane that is opened, or the code and the field of the refusal. */
function open({ provider, format: id, channelFormat = id, more, isRewritten, allowed }: Asked): string {
  const channel = { provider: provider.id, format: channelFormat, allowFields: new Set(allowed), settings }
  const candidate = createCandidate(channel)
  const format = callers[id]
  const body = BodyIntake.of([Buffer.from(JSON.stringify({ ...bodies[id], ...more }))])
  const terms = id === 'gemini' ? { model: 'm', stream: false } : undefined
  const scanned = format.scanRequest(body, terms)
  const exchange: ConversationExchange = {
    kind: 'conversation',
    format,
    callerRequest: {
      type: 'operation',
      ...{ requestId: 'r', format, path: '/', terms, address: '127.0.0.1', headers: {}, query: '', body },
      caller: { ...openCaller, permission: readGrant(['m']) },
      startedAtMs: 0,
    },
    scanned,
    route: { publicName: 'm', targets: [candidate.target], strategy: 'priority-weighted', fallbacks: [] },
    isStrict: false,
    transcript: undefined,
    ...(isRewritten === undefined ? {} : { isRewritten }),
    readRequests: () => [format.readRequest(parseBody(scanned))],
    stages: [],
  }
  const providers: ProviderRegistry = { ids: [provider.id], find: () => provider }
  try {
    const opened = openLane(exchange, candidate, {
      providers,
      formats,
      reasoningContinuity,
      clock: systemClock,
    })
    return opened.type === 'call' ? opened.lane.kind : opened.type
  } catch (error) {
    if (error instanceof GatewayError) return `${error.failure.code} ${error.failure.param}`
    throw error
  }
}

/** Members of a body that hold a field of this name. */
function holding(name: string): object {
  const [outer = name, ...inner] = name.split('.')
  const value = inner.reduceRight<JsonValue>((within, key) => ({ [key]: within }), 'x')
  return { [spellings[outer] ?? outer]: value }
}

/** Names that the Gemini format takes in its own spelling alone. */
const spellings: Readonly<Record<string, string>> = {
  generationconfig: 'generationConfig',
  generatecontentrequest: 'generateContentRequest',
}

function isCaller(format: ChannelFormatId): format is FormatId {
  return Object.hasOwn(callers, format)
}

function find(id: string): Provider {
  const provider = providerRegistry.find(id)
  if (provider === undefined) throw new Error(`no provider ${id}`)
  return provider
}

/** Every provider that declares steering fields, in each format of callers that it speaks. */
const steered = providerRegistry.ids.flatMap((id) => {
  const provider = find(id)
  return provider.steeringFields.length === 0
    ? []
    : provider.formats.filter(isCaller).map((format) => ({ id, format, provider }))
})

describe.each(steered)('each steering field of $id in $format', ({ provider, format }) => {
  it('is refused, word for word and written anew', () => {
    for (const name of provider.steeringFields) {
      const asked = { provider, format, more: holding(name) }
      expect(open(asked)).toBe(`field_not_allowed ${name}`)
      expect(open({ ...asked, isRewritten: true })).toBe(`field_not_allowed ${name}`)
    }
  })

  it('passes where the channel allows it', () => {
    for (const name of provider.steeringFields) {
      const asked = { provider, format, more: holding(name), allowed: [name] }
      expect(open(asked), name).toBe('verbatim')
      expect(open({ ...asked, isRewritten: true }), name).toBe('translated')
    }
  })
})

it.each([
  { outer_name: { inner_name: 1 } },
  { outerName: { innerName: 1 } },
  { OUTER_NAME: { INNERNAME: 1 } },
])('an inner field is found in each spelling, however it is declared: %j', (more) => {
  for (const name of ['outer_name.inner_name', 'outername.innername', 'outername.inner_name']) {
    const provider = { ...find('openai-compatible'), steeringFields: [name] }
    expect(open({ provider, format: 'chat', more })).toBe(`field_not_allowed ${name}`)
  }
})

it('a channel of another format never gets the field, so that nothing is refused', () => {
  const provider = { ...find('openai-compatible'), steeringFields: ['models'] }
  expect(open({ provider, format: 'messages', channelFormat: 'chat', more: { models: ['x'] } })).toBe(
    'translated',
  )
})
