import { expect, it } from 'vitest'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import { createRedactor } from '../../telemetry/redact.ts'
import { resolveConfig } from '../resolve-config.ts'
import { readEnvironment } from '../source/environment.ts'
import { listSecrets } from './list-secrets.ts'

const yaml = `
keys: [{ name: ci, secret: key-of-a-caller-1 }]
channels:
  - name: a
    provider: openai
    api_keys: [key-one-of-upstream, key-two-of-upstream]
    models: [m]
    proxy: http://gate:pass%2Fword-99x@proxy:3128
    headers: { authorization: Bearer token-in-a-header }`

it('every secret of a configuration is removed from a text, in each form in which it is sent', () => {
  const parsed = parseYamlConfig(yaml)
  const config = resolveConfig({
    parsed,
    source: { type: 'file', path: 'headgate.yaml' },
    files: { tls: undefined, channels: parsed.channels },
    environment: readEnvironment({ HEADGATE_ADMIN_TOKEN: 'token-of-admins' }),
    outer: {},
    workingFolder: '/',
  })
  const redactor = createRedactor(listSecrets(config))
  const shown = [
    'key-of-a-caller-1',
    'key-one-of-upstream key-two-of-upstream',
    'http://gate:pass%2Fword-99x@proxy:3128/',
    'pass/word-99x',
    Buffer.from('gate:pass/word-99x').toString('base64'),
    'token-in-a-header',
    'token-of-admins',
  ]
  expect(redactor.redact(shown.join(' | '))).toBe(
    '[redacted] | [redacted] [redacted] | http://[redacted]@proxy:3128/ | [redacted] | [redacted] | [redacted] | [redacted]',
  )
})
