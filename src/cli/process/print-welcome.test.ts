import { expect, it } from 'vitest'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import { createCatalog } from '../../catalog/create-catalog.ts'
import { chooseSampleModel, writeFirstRequest } from './print-welcome.ts'

function catalogOf(yaml: string, listed: readonly string[]) {
  const { channels, models } = parseYamlConfig(yaml)
  const lists = new Map(channels.map(({ name }) => [name, listed]))
  return createCatalog({ channels, entries: models, lists, createdAtSeconds: 0 })
}

it('an example names a chat model of the first channel', () => {
  const yaml = `channels:
  - { name: b, provider: openai, api_key: k, models: "*" }
  - { name: a, provider: demo }`
  expect(
    chooseSampleModel(
      catalogOf(yaml, ['babbage-002', 'dall-e-3', 'text-embedding-3-small', 'gpt-4o', 'whisper-1']),
    ),
  ).toBe('gpt-4o')
})

it('an example without a known model lists the models and has no placeholder to replace', () => {
  const yaml = 'channels: [{ name: b, provider: openai, api_key: k, models: "*" }]'
  const model = chooseSampleModel(catalogOf(yaml, []))
  expect(model).toBeUndefined()
  const lines = writeFirstRequest({ url: 'http://h', key: 'sk', model }).join('\n')
  expect(lines).toContain('curl http://h/v1/models -H "authorization: Bearer sk"')
  expect(lines).not.toContain('MODEL')
})
