import { describe, expect, it, test } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { geminiFormat } from '../../wire/gemini/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { pathOf } from '../registry.ts'
import { vertex } from './vertex.ts'

const credentials = { project: 'some-project', region: 'us-east5' }

function place(format: 'gemini' | 'messages', settings: Readonly<Record<string, string>> = credentials) {
  const channel = createChannel({
    name: 'v',
    models: {},
    provider: 'vertex',
    baseUrl: 'https://a.example',
    format,
    settings,
  })
  return { channel, upstreamModel: format === 'gemini' ? 'gemini-2.5-pro' : 'claude-opus-4-6' }
}

test.each([
  [{}, 'https://aiplatform.googleapis.com'],
  [{ region: 'global' }, 'https://aiplatform.googleapis.com'],
  [{ region: 'us-east5' }, 'https://us-east5-aiplatform.googleapis.com'],
  [{ region: 'eu' }, 'https://aiplatform.eu.rep.googleapis.com'],
])('with settings %j the address is %s', (settings, address) => {
  expect(vertex.baseUrlOf?.(settings)).toBe(address)
})

describe('a path', () => {
  const root = '/v1/projects/some-project/locations/us-east5/publishers'

  it.each([
    ['gemini', false, `${root}/google/models/gemini-2.5-pro:generateContent`],
    ['gemini', true, `${root}/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse`],
    ['messages', false, `${root}/anthropic/models/claude-opus-4-6:rawPredict`],
    ['messages', true, `${root}/anthropic/models/claude-opus-4-6:streamRawPredict`],
  ] as const)('has the method of %s, streaming: %s', (format, stream, path) => {
    const operation = format === 'gemini' ? geminiFormat : messagesFormat
    expect(pathOf(vertex, operation, { ...place(format), isStream: stream })).toBe(path)
  })

  it('uses the global region by default, and does not repeat a version from the address', () => {
    const { channel, upstreamModel } = place('gemini', { project: 'p-1234' })
    const at = (baseUrl: string) =>
      pathOf(vertex, geminiFormat, { channel: { ...channel, baseUrl }, upstreamModel })
    expect(at('https://aiplatform.googleapis.com')).toMatch(/^\/v1\/projects\/p-1234\/locations\/global\//)
    expect(at('https://aiplatform.googleapis.com/v1beta1')).toMatch(/^\/projects\//)
  })
})

test('beta flags are passed on if Vertex knows them, under its names', () => {
  const { channel } = place('messages')
  const keep = (value: string) =>
    vertex.shapeOf?.({
      operation: 'messages',
      channel,
      headers: { 'anthropic-beta': value },
    })?.headers
  expect(keep('context-1m-2025-08-07, effort-2025-11-24')).toEqual({
    'anthropic-beta': 'context-1m-2025-08-07',
  })
  expect(keep('advanced-tool-use-2025-11-20,tool-search-tool-2025-10-19')).toEqual({
    'anthropic-beta': 'tool-search-tool-2025-10-19',
  })
  expect(keep('effort-2025-11-24')).toEqual({})
})

test('only the messages format replaces the model field with a version', () => {
  const shape = (format: 'gemini' | 'messages', operation: 'gemini' | 'messages' | 'count-tokens') =>
    vertex.shapeOf?.({ operation, channel: place(format).channel, headers: {} })?.body
  expect(shape('messages', 'messages')).toEqual({
    modelReplacement: { anthropic_version: 'vertex-2023-10-16' },
    isStreamInPath: false,
  })
  expect(shape('messages', 'count-tokens')).toBeUndefined()
  expect(shape('gemini', 'gemini')).toBeUndefined()
})

test('each format has the features of its models', () => {
  expect(vertex.dialect('claude-opus-4-6', 'messages')).toMatchObject({
    cacheMarks: true,
    mediaAddresses: [],
  })
  expect(vertex.dialect('gemini-2.5-pro', 'gemini')).toHaveProperty('geminiModel')
  expect(vertex.formats).not.toContain(chatFormat.id)
})

describe('a Vertex configuration', () => {
  const channel = (more: string) => `channels: [{ name: v, provider: vertex, models: [m], ${more} }]`

  it('needs neither an address nor a key', () => {
    const { channels } = parseYamlConfig(channel('credentials: { project: some-project, region: us-east5 }'))
    expect(channels[0]).toMatchObject({
      baseUrl: 'https://us-east5-aiplatform.googleapis.com',
      format: 'gemini',
      credentials: [],
    })
  })

  it.each([
    [
      'credentials: {}',
      /credentials\.project: is missing; the provider vertex needs it: the id or the number/,
    ],
    ['credentials: { project: "a/b" }', /credentials\.project: must be the id or the number of a project/],
    ['credentials: { project: some-project, region: "../x" }', /credentials\.region: must be a region/],
    [
      'credentials: { project: some-project, file: x }',
      /credentials\.file: is nothing that the provider vertex takes/,
    ],
  ])('with %s is refused', (more, words) => {
    expect(() => parseYamlConfig(channel(more))).toThrow(words)
  })
})

describe('the rerank operation', () => {
  const at = (baseUrl: string, operation: 'rerank' | 'embeddings' = 'rerank') => {
    const parts = {
      name: 'v',
      models: {},
      provider: 'vertex',
      format: 'gemini',
      settings: credentials,
    } as const
    return vertex.originOf?.({ operation, channel: createChannel({ ...parts, baseUrl }) })
  }

  it('has an address apart from the regional one', () => {
    expect(at('https://us-east5-aiplatform.googleapis.com')).toBe('https://discoveryengine.googleapis.com')
  })

  it('is the only operation with its own address', () => {
    expect(at('https://us-east5-aiplatform.googleapis.com', 'embeddings')).toBeUndefined()
  })

  it('uses the address of the operator if there is one', () => {
    expect(at('https://proxy.example')).toBeUndefined()
  })
})
