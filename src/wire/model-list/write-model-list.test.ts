import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../canonical/failure.ts'
import type { ListedModel, ModelListStyle } from './listed-model.ts'
import { writeModel } from './write-model.ts'
import { chooseStyle, writeModelList } from './write-model-list.ts'

function model(name: string): ListedModel {
  return { name, ownedBy: 'openai', createdAtSeconds: 1_700_000_000 }
}

const models = ['a', 'b', 'c', 'd', 'e'].map(model)

function page(query: string) {
  const { data, has_more, first_id, last_id } = writeModelList(models, 'messages', new URLSearchParams(query))
  const ids = Array.isArray(data) ? data.map(({ id }) => id) : []
  return [ids.join(''), has_more, first_id, last_id]
}

function refusalOf(query: string) {
  try {
    writeModelList(models, 'messages', new URLSearchParams(query))
  } catch (error) {
    if (error instanceof GatewayError) return [error.failure.code, error.failure.param]
  }
  return 'taken'
}

describe('the style of the model list', () => {
  it.each([
    ['messages', { 'anthropic-version': '2023-06-01', 'x-goog-api-key': 'k' }, true],
    ['gemini', { 'x-goog-api-key': 'k' }, false],
    ['gemini', {}, true],
    ['chat', { authorization: 'Bearer k' }, false],
  ])('is %s for the headers %j and a key in the query: %s', (style, headers, hasQueryKey) => {
    expect(chooseStyle({ headers, hasQueryKey })).toBe(style)
  })
})

describe('the model list', () => {
  it('has the shape of the chat style', () => {
    expect(writeModelList([model('a')], 'chat', new URLSearchParams())).toEqual({
      object: 'list',
      data: [
        {
          id: 'a',
          object: 'model',
          created: 1_700_000_000,
          owned_by: 'openai',
          supported_endpoint_types: ['openai', 'anthropic'],
        },
      ],
    })
  })

  it('has the shape of the messages style', () => {
    expect(writeModelList([model('a')], 'messages', new URLSearchParams())).toEqual({
      data: [{ type: 'model', id: 'a', display_name: 'a', created_at: '2023-11-14T22:13:20.000Z' }],
      has_more: false,
      first_id: 'a',
      last_id: 'a',
    })
  })

  it('has the shape of the Gemini style', () => {
    expect(writeModelList([model('a')], 'gemini', new URLSearchParams())).toEqual({
      models: [
        {
          name: 'models/a',
          baseModelId: 'a',
          displayName: 'a',
          supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
        },
      ],
    })
  })

  it('shows the operator’s description of a model, in every style', () => {
    const said = { ...model('a'), displayName: 'A for all', description: 'Answers everything.' }
    const one = (style: ModelListStyle) => writeModel(said, style)
    expect(one('chat')).toMatchObject({
      id: 'a',
      display_name: 'A for all',
      description: 'Answers everything.',
    })
    expect(one('messages')).toMatchObject({
      id: 'a',
      display_name: 'A for all',
      description: 'Answers everything.',
    })
    expect(one('gemini')).toMatchObject({
      name: 'models/a',
      displayName: 'A for all',
      description: 'Answers everything.',
    })
  })

  it('is empty, and still valid, when a key may use no model', () => {
    expect(writeModelList([], 'messages', new URLSearchParams())).toEqual({
      data: [],
      has_more: false,
      first_id: null,
      last_id: null,
    })
  })

  it.each([
    ['limit=2', ['ab', true, 'a', 'b']],
    ['limit=2&after_id=b', ['cd', true, 'c', 'd']],
    ['limit=2&after_id=d', ['e', false, 'e', 'e']],
    ['limit=2&before_id=d', ['bc', true, 'b', 'c']],
    ['limit=2&before_id=c', ['ab', false, 'a', 'b']],
  ])('pages by %s', (query, expected) => {
    expect(page(query)).toEqual(expected)
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=x', 'limit'],
    ['after_id=z', 'after_id'],
    ['after_id=a&before_id=c', 'after_id'],
  ])('refuses %s and names the parameter', (query, param) => {
    expect(refusalOf(query)).toEqual(['invalid_field', param])
  })
})
