import { expect, test } from 'vitest'
import { configErrorOf } from '../../../test/support/parse-yaml-config.ts'

const addresses: readonly (readonly [baseUrl: string, error: string])[] = [
  [
    'http://127.0.0.1:8000/v1',
    'leads to this machine or a private network; say "allow_private: true" if it is meant to',
  ],
  [
    'http://localhost:8000',
    'leads to this machine or a private network; say "allow_private: true" if it is meant to',
  ],
  [
    'http://[::1]:8000',
    'leads to this machine or a private network; say "allow_private: true" if it is meant to',
  ],
  [
    'http://0x7f.1/',
    'leads to this machine or a private network; say "allow_private: true" if it is meant to',
  ],
  [
    'http://[::ffff:10.0.0.1]/',
    'leads to this machine or a private network; say "allow_private: true" if it is meant to',
  ],
  [
    'http://169.254.169.254/',
    'leads to this machine or a private network; say "allow_private: true" if it is meant to',
  ],
  ['https://user:pass@example.com', 'must not hold a user name or a password; use api_key or headers'],
  ['https://example.com/v1?key=x', 'must not have a query; use api_key or headers'],
  ['https://example.com/v1#x', 'must not have a fragment; leave out the "#" and what follows'],
  ['ftp://example.com', 'must begin with http:// or https://'],
  ['example.com/v1', 'must be an http or https address, such as "https://api.example.com/v1"'],
]

test.each(addresses)('the address %s is refused', (baseUrl, error) => {
  const yaml = `channels: [{ name: a, provider: vllm, base_url: "${baseUrl}" }]`
  expect(configErrorOf(yaml)).toBe(`headgate.yaml:1:49: channels[0].base_url: ${error}`)
})
