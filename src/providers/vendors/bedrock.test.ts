import { describe, expect, it } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import { pathOf } from '../registry.ts'
import { bedrock } from './bedrock.ts'

const settings = { region: 'eu-west-3' }
const channel = createChannel({ name: 'b', models: {}, provider: 'bedrock', settings })

describe('a Bedrock channel', () => {
  it('has the address of its region, in every AWS partition', () => {
    expect(bedrock.baseUrlOf?.({ region: 'us-gov-west-1' })).toBe(
      'https://bedrock-runtime.us-gov-west-1.amazonaws.com',
    )
    expect(bedrock.baseUrlOf?.({ region: 'cn-north-1' })).toBe(
      'https://bedrock-runtime.cn-north-1.amazonaws.com.cn',
    )
  })

  it('invokes Claude in the Anthropic format, with the escaped model in the path', () => {
    const place = {
      channel,
      upstreamModel: 'arn:aws:bedrock:eu-west-3:1:inference-profile/x',
      isStream: true,
    }
    expect(pathOf(bedrock, { id: 'messages', path: '/v1/messages' }, place)).toBe(
      '/model/arn%3Aaws%3Abedrock%3Aeu-west-3%3A1%3Ainference-profile%2Fx/invoke-with-response-stream',
    )
  })

  it('passes on only beta flags that Bedrock knows, each once', () => {
    const headers = { 'anthropic-beta': 'context-1m-2025-08-07, claude-code-20250219,context-1m-2025-08-07' }
    const shape = bedrock.shapeOf?.({ operation: 'messages', channel, headers })
    expect(shape?.body?.modelReplacement).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['context-1m-2025-08-07'],
    })
  })

  it('applies the guardrail of the channel to requests in either format', () => {
    const guarded = { ...channel, settings: { ...settings, guardrail_id: 'g' } }
    const call = { channel: guarded, headers: {} }
    expect(bedrock.shapeOf?.({ operation: 'converse', ...call })?.fields).toEqual({
      guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: 'DRAFT' },
    })
    expect(bedrock.shapeOf?.({ operation: 'messages', ...call })?.headers).toEqual({
      'x-amzn-bedrock-guardrailidentifier': 'g',
      'x-amzn-bedrock-guardrailversion': 'DRAFT',
    })
  })
})

describe('the features of a Bedrock model', () => {
  it.each([
    ['eu.anthropic.claude-haiku-4-5-20251001-v1:0', 'thinking', true, 'all'],
    ['anthropic.claude-3-haiku-20240307-v1:0', 'thinking', false, 'all'],
    ['us.amazon.nova-2-lite-v1:0', 'reasoningConfig', false, 'all'],
    ['amazon.nova-micro-v1:0', 'none', false, 'all'],
    ['openai.gpt-oss-120b-1:0', 'reasoning_effort', true, 'words'],
    ['qwen.qwen3-32b-v1:0', 'none', true, 'words'],
    ['mistral.mistral-large-2402-v1:0', 'none', false, 'words'],
    ['us.meta.llama4-maverick-17b-instruct-v1:0', 'none', false, 'auto'],
  ])('%s', (model, reasoning, jsonSchema, toolChoices) => {
    const dialect = bedrock.dialect(model, 'converse')
    expect([dialect.converseModel?.reasoning, dialect.jsonSchema, dialect.toolChoices]).toEqual([
      reasoning,
      jsonSchema,
      toolChoices,
    ])
    expect(dialect.mediaAddresses).toEqual([])
  })
})
