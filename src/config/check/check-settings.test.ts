import { expect, test } from 'vitest'
import { configErrorOf, parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'

const channel = (more: string) => `
channels:
  - name: azure
    provider: azure-openai
    base_url: https://example.openai.azure.com
    api_key: k
    ${more}`

test('extra provider settings are kept with the channel, apart from its key', () => {
  const { channels } = parseYamlConfig(
    channel('credentials: { api_version: 2024-10-21 }\n    models: { gpt-4o: my-deployment }'),
  )
  expect(channels[0]).toMatchObject({
    settings: { api_version: '2024-10-21' },
    credentials: [{ secret: 'k' }],
  })
})

test.each([
  [
    'a value that does not fit',
    channel('credentials: { api_version: now }\n    models: [a]'),
    'headgate.yaml:7:33: channels[0].credentials.api_version: must be a version of the API, such as "2024-10-21" (in quotes) or "preview"',
  ],
  [
    'a mistyped name',
    channel('credentials: { api_verison: preview }\n    models: [a]'),
    'headgate.yaml:7:33: channels[0].credentials.api_verison: is nothing that the provider azure-openai takes; did you mean "api_version"?',
  ],
  [
    'a value that is no text',
    channel('credentials: { api_version: 2024 }\n    models: [a]'),
    'headgate.yaml:7:33: channels[0].credentials.api_version: must be a text; put it in quotes',
  ],
  [
    'settings of a provider that has none',
    `
channels:
  - { name: o, provider: openai, api_key: k, credentials: { api_version: preview } }`,
    'headgate.yaml:3:74: channels[0].credentials.api_version: is nothing that the provider openai takes; use api_key or headers',
  ],
  [
    'deployments whose name would change the address',
    channel('models: { a: "../x", b: ok, c: ".." }'),
    `headgate.yaml:7:18: channels[0].models.a: must be 1 to 128 letters, digits or ". _ : @ -", since it becomes part of the address
headgate.yaml:7:36: channels[0].models.c: cannot be "." or "..", which programs remove from the path of an address; choose another`,
  ],
  [
    'all models of a resource, which lists no deployments',
    channel('models: "*"'),
    'headgate.yaml:7:13: channels[0].models: must name the models; the provider azure-openai has no list of them',
  ],
])('%s is refused with its place in the file', (_behaviour, yaml, error) => {
  expect(configErrorOf(yaml)).toBe(error)
})
