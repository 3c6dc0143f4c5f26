import { describe, expect, it } from 'vitest'
import type { GatewayError } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { readLiveSetup, writeLiveSetup } from './live-setup.ts'

const read = (setup: JsonObject) => readLiveSetup({ setup: { model: 'models/voice', ...setup } })

function failureOf(message: JsonObject | undefined): GatewayError['failure'] | undefined {
  try {
    readLiveSetup(message)
    return undefined
  } catch (error) {
    return (error as GatewayError).failure
  }
}

describe('a setup', () => {
  it('names a model with or without its collection', () => {
    expect(read({}).model).toBe('voice')
    expect(readLiveSetup({ setup: { model: 'voice' } }).model).toBe('voice')
  })

  it('is read in both spellings', () => {
    const camel = read({ generationConfig: { maxOutputTokens: 7 }, tools: [{ functionDeclarations: [] }] })
    const snake = read({
      generation_config: { max_output_tokens: 7 },
      tools: [{ function_declarations: [] }],
    })
    const mixed = read({ generationConfig: { max_output_tokens: 7 }, tools: [{ function_declarations: [] }] })
    for (const { maxOutputTokens, hasBilledTools } of [camel, snake, mixed])
      expect([maxOutputTokens, hasBilledTools]).toEqual([7, false])
  })

  it.each<[string, JsonObject | undefined, string, string]>([
    ['nothing', undefined, 'missing_field', 'setup'],
    ['no setup', { clientContent: {} }, 'missing_field', 'setup'],
    ['a setup that is no object', { setup: 'voice' }, 'missing_field', 'setup'],
    ['a setup in a list', { setup: [] }, 'missing_field', 'setup'],
    ['no model', { setup: {} }, 'missing_field', 'setup.model'],
    ['a model without a name', { setup: { model: '' } }, 'missing_field', 'setup.model'],
    ['a model that is no text', { setup: { model: 7 } }, 'missing_field', 'setup.model'],
    [
      'a cached content',
      { setup: { model: 'm', cachedContent: 'cachedContents/a' } },
      'invalid_field',
      'setup.cachedContent',
    ],
    [
      'an unknown field in the other spelling',
      { setup: { model: 'm', cached_content: 'a' } },
      'invalid_field',
      'setup.cached_content',
    ],
    [
      'a limit of 0',
      { setup: { model: 'm', generationConfig: { maxOutputTokens: 0 } } },
      'invalid_field',
      'setup.generationConfig.maxOutputTokens',
    ],
    [
      'a limit in a text',
      { setup: { model: 'm', generation_config: { max_output_tokens: '9' } } },
      'invalid_field',
      'setup.generationConfig.maxOutputTokens',
    ],
    [
      'a limit with a fraction',
      { setup: { model: 'm', generationConfig: { maxOutputTokens: 1.5 } } },
      'invalid_field',
      'setup.generationConfig.maxOutputTokens',
    ],
    [
      'a handle',
      { setup: { model: 'm', sessionResumption: { handle: 'h' } } },
      'invalid_field',
      'setup.sessionResumption.handle',
    ],
    [
      'a handle in the other spelling',
      { setup: { model: 'm', session_resumption: { handle: 'h' } } },
      'invalid_field',
      'setup.sessionResumption.handle',
    ],
    [
      'a file',
      { setup: { model: 'm', systemInstruction: { parts: [{ fileData: {} }] } } },
      'invalid_field',
      'fileData',
    ],
    [
      'a file in the other spelling',
      { setup: { model: 'm', system_instruction: { parts: [{ file_data: {} }] } } },
      'invalid_field',
      'fileData',
    ],
  ])('with %s is refused', (_what, message, code, param) => {
    expect(failureOf(message)).toMatchObject({ code, param })
  })

  it('is refused without repeating a long name', () => {
    const name = 'x'.repeat(100_000)
    expect(failureOf({ setup: { model: 'm', [name]: 1 } })?.param?.length).toBeLessThan(80)
  })

  it.each<[string, JsonObject, boolean]>([
    ['no tools', {}, false],
    ['no tool', { tools: [] }, false],
    ['functions', { tools: [{ functionDeclarations: [{ name: 'f' }] }] }, false],
    ['a search', { tools: [{ googleSearch: {} }] }, true],
    ['a search in the other spelling', { tools: [{ google_search: {} }] }, true],
    ['a search beside functions', { tools: [{ functionDeclarations: [], googleSearch: {} }] }, true],
    ['tools that are no list', { tools: { functionDeclarations: [] } }, true],
    ['a tool that is no object', { tools: ['googleSearch'] }, true],
  ])('with %s has tools that are billed: %3$s', (_what, fields, isBilled) => {
    expect(read(fields).hasBilledTools).toBe(isBilled)
  })
})

describe('a setup for the provider', () => {
  it('has the upstream’s name, the cap, and no resumption', () => {
    const setup = read({
      generation_config: { max_output_tokens: 9_000, responseModalities: ['TEXT'] },
      sessionResumption: {},
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
    })
    expect(writeLiveSetup(setup, { model: 'models/inner', maxOutputTokens: 100 })).toEqual({
      setup: {
        model: 'models/inner',
        generationConfig: { responseModalities: ['TEXT'], maxOutputTokens: 100 },
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
      },
    })
  })

  it('is the caller’s own when there is no cap', () => {
    const setup = read({ generation_config: { temperature: 0 }, session_resumption: {} })
    expect(writeLiveSetup(setup, { model: 'models/inner', maxOutputTokens: undefined })).toEqual({
      setup: { model: 'models/inner', generation_config: { temperature: 0 } },
    })
  })

  it('has only one of two configurations', () => {
    const setup = read({ generationConfig: { temperature: 0 }, generation_config: { max_output_tokens: 9 } })
    expect(writeLiveSetup(setup, { model: 'm', maxOutputTokens: 5 })).toEqual({
      setup: { model: 'm', generationConfig: { temperature: 0, maxOutputTokens: 5 } },
    })
  })
})
