import { describe, expect, it } from 'vitest'
import { findProvider as find, openConversationLane } from '../../../test/support/open-conversation-lane.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { type ChannelFormatId, type FormatId, formatIds } from '../../canonical/format.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import type { Provider } from '../../providers/provider.ts'
import { providerRegistry } from '../../providers/registry.ts'

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
  /** The channel's format, where it is not the caller's. */
  readonly channelFormat?: ChannelFormatId
  readonly more?: object
  readonly isRewritten?: true
  readonly allowed?: readonly string[]
}

/** The lane that is opened, or the code and the field of the refusal. */
function open({ format, channelFormat = format, more, isRewritten, allowed = [], provider }: Asked): string {
  const body = JSON.stringify({ ...bodies[format], ...more })
  const rewritten = isRewritten === undefined ? {} : { source: { type: 'rewritten' } as const }
  try {
    const opened = openConversationLane({ provider, format, channelFormat, allowed, body, more: rewritten })
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
  return formatIds.some((id) => id === format)
}

/** Every provider that declares steering fields, in each format of callers that it speaks. */
const steered = providerRegistry.ids.flatMap((id) => {
  const provider = find(id)
  return provider.steeringFields.length === 0
    ? []
    : provider.formats.filter(isCaller).map((format) => ({ id, format, provider }))
})

describe.each(steered)('each steering field of $id in $format', ({ provider, format }) => {
  it('is refused, both verbatim and rewritten', () => {
    for (const name of provider.steeringFields) {
      const asked = { provider, format, more: holding(name) }
      const [outer = '', ...inner] = name.split('.')
      const refusal = `field_not_allowed ${[spellings[outer] ?? outer, ...inner].join('.')}`
      expect(open(asked)).toBe(refusal)
      expect(open({ ...asked, isRewritten: true })).toBe(refusal)
    }
  })

  it('passes if the channel allows it', () => {
    for (const name of provider.steeringFields) {
      const asked = { provider, format, more: holding(name), allowed: [name] }
      expect(open(asked), name).toBe('verbatim')
      expect(open({ ...asked, isRewritten: true }), name).toBe('translated')
    }
  })
})

it.each([
  [{ outer_name: { inner_name: 1 } }, 'outer_name.inner_name'],
  [{ outerName: { innerName: 1 } }, 'outerName.innerName'],
  [{ OUTER_NAME: { other: 1, INNERNAME: 1 } }, 'OUTER_NAME.INNERNAME'],
])('an inner field is found in each spelling, in any declaration, and named as sent: %j', (more, sent) => {
  for (const name of ['outer_name.inner_name', 'outername.innername', 'outername.inner_name']) {
    const provider = { ...find('openai-compatible'), steeringFields: [name] }
    expect(open({ provider, format: 'chat', more })).toBe(`field_not_allowed ${sent}`)
  }
})

it('a refused field is named as the caller spells it', () => {
  const provider = find('openai-compatible')
  expect(open({ provider, format: 'chat', more: { Provider: 'x' } })).toBe('field_not_allowed Provider')
})

it('a channel of another format never gets the field, so nothing is refused', () => {
  const provider = { ...find('openai-compatible'), steeringFields: ['models'] }
  expect(open({ provider, format: 'messages', channelFormat: 'chat', more: { models: ['x'] } })).toBe(
    'translated',
  )
})
