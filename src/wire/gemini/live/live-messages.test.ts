import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { readLiveMessage } from './live-fields.ts'
import { readCallerMessage, readServerMessage } from './live-messages.ts'

const measure = (message: JsonObject) => readCallerMessage(message, JSON.stringify(message).length)

describe('a text', () => {
  it.each(['', 'null', '[]', '7', '"setup"', '{', '{"a":1', '['.repeat(100_000)])(
    'that is not a message is undefined: %.12s',
    (text) => {
      expect(readLiveMessage(text)).toBeUndefined()
    },
  )

  it('that is nested too deeply is undefined', () => {
    expect(readLiveMessage(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)).toBeUndefined()
  })
})

describe('a caller’s message', () => {
  it.each<[string, JsonObject]>([
    ['clientContent', { clientContent: { turns: [] } }],
    ['client_content', { client_content: { turns: [] } }],
    ['realtimeInput', { realtimeInput: { text: 'Hi' } }],
    ['realtime_input', { realtime_input: { text: 'Hi' } }],
    ['toolResponse', { toolResponse: { functionResponses: [] } }],
    ['tool_response', { tool_response: { functionResponses: [] } }],
  ])('of the kind %s is accepted', (kind, message) => {
    expect(measure(message).isToolResponse).toBe(kind.startsWith('tool'))
  })

  it.each<[string, JsonObject | undefined]>([
    ['nothing', undefined],
    ['no field', {}],
    ['an unknown field', { setup: {} }],
    ['two fields', { clientContent: {}, realtimeInput: {} }],
    ['both spellings', { clientContent: {}, client_content: {} }],
    ['a list', { clientContent: [] }],
    ['nothing in it', { clientContent: null }],
    ['a file', { clientContent: { turns: [{ parts: [{ fileData: { fileUri: 'files/a' } }] }] } }],
    ['a file in the other spelling', { client_content: { turns: [{ parts: [{ file_data: {} }] }] } }],
  ])('with %s is refused', (_what, message) => {
    expect(() => readCallerMessage(message, 10)).toThrow(GatewayError)
  })

  it('is measured by its text, its audio and its images, in both spellings', () => {
    const sound = 'A'.repeat(4_000)
    const image = 'B'.repeat(1_000)
    const camel = measure({
      realtimeInput: {
        audio: { data: sound, mimeType: 'audio/pcm;rate=16000' },
        video: { data: image, mimeType: 'image/jpeg' },
      },
    })
    expect(camel.input).toMatchObject({ audioCharacters: 4_000, images: 1 })
    expect(camel.input.textCharacters).toBeGreaterThan(1_000)
    const snake = measure({
      realtime_input: { media_chunks: [{ data: sound, mime_type: 'AUDIO/PCM' }] },
    })
    expect(snake.input).toMatchObject({ audioCharacters: 4_000, images: 0 })
    const parts = [{ inlineData: { data: sound, mimeType: 'audio/wav' } }, { text: 'What is that?' }]
    expect(measure({ clientContent: { turns: [{ parts }, { parts }] } }).input.audioCharacters).toBe(8_000)
  })

  it('is measured as text when its data has no type', () => {
    const data = 'A'.repeat(400)
    for (const audio of [{ data }, { data, mimeType: 7 }, { data: 7, mimeType: 'audio/pcm' }]) {
      const message = { realtimeInput: { audio } }
      expect(measure(message).input).toEqual({
        textCharacters: JSON.stringify(message).length,
        audioCharacters: 0,
        images: 0,
      })
    }
  })

  it('never has a negative length of text', () => {
    const message = { realtimeInput: { audio: { data: 'A'.repeat(100), mimeType: 'audio/pcm' } } }
    expect(readCallerMessage(message, 10).input.textCharacters).toBe(0)
  })
})

describe('a provider’s message', () => {
  it.each<[string, JsonObject, boolean]>([
    ['words', { serverContent: { modelTurn: { parts: [] } } }, true],
    ['a transcript of what is said', { serverContent: { outputTranscription: { text: 'Hi' } } }, true],
    ['the end of what is made', { serverContent: { generationComplete: true } }, true],
    ['calls', { toolCall: { functionCalls: [] } }, true],
    ['a transcript of what was heard', { serverContent: { inputTranscription: { text: 'Hi' } } }, false],
    ['an interruption', { serverContent: { interrupted: true } }, false],
    ['the end of a turn', { serverContent: { turnComplete: true } }, false],
    ['content that is no object', { serverContent: 'words' }, false],
    ['usage', { usageMetadata: {} }, false],
    ['nothing', {}, false],
  ])('with %s has content: %3$s', (_what, message, hasContent) => {
    expect(readServerMessage(message).hasContent).toBe(hasContent)
  })

  it('ends a turn or an interruption only with the value true', () => {
    const ends = (serverContent: JsonObject) => {
      const { isTurnComplete, isInterrupted } = readServerMessage({ serverContent })
      return [isTurnComplete, isInterrupted]
    }
    expect(ends({ turnComplete: true })).toEqual([true, false])
    expect(ends({ interrupted: true, turnComplete: false })).toEqual([false, true])
    expect(ends({ turnComplete: 'true', interrupted: 1 })).toEqual([false, false])
  })

  it('is read in the other spelling, too', () => {
    const setup = readServerMessage({ setup_complete: { session_id: 'theirs' } })
    expect([setup.isSetupComplete, setup.shown]).toEqual([true, { setupComplete: {} }])
    const content = readServerMessage({ server_content: { model_turn: {}, turn_complete: true } })
    expect([content.hasContent, content.isTurnComplete]).toEqual([true, true])
    expect(readServerMessage({ usage_metadata: { total_token_count: 1 } }).usage).toBeDefined()
    expect(readServerMessage({ session_resumption_update: { new_handle: 'theirs' } }).shown).toBeUndefined()
  })

  it('is shown without the provider’s ids and handles', () => {
    const message = {
      setupComplete: { sessionId: 'theirs' },
      sessionResumptionUpdate: { newHandle: 'theirs' },
      goAway: { timeLeft: '9s' },
    }
    const read = readServerMessage(message)
    expect([read.isSetupComplete, read.shown]).toEqual([
      true,
      { setupComplete: {}, goAway: { timeLeft: '9s' } },
    ])
    expect(readServerMessage({ sessionResumptionUpdate: {} }).shown).toBeUndefined()
  })
})
