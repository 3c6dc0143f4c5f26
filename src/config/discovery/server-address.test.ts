import { expect, test } from 'vitest'
import { serverAddress } from './server-address.ts'

test.each([
  [undefined, 'http://127.0.0.1:11434'],
  ['', 'http://127.0.0.1:11434'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['0.0.0.0:9999', 'http://127.0.0.1:9999'],
  [':9999', 'http://127.0.0.1:9999'],
  ['[::]:9999', 'http://[::1]:9999'],
  ['box.lan', 'http://box.lan:11434'],
  ['http://box.lan:1234/', 'http://box.lan:1234'],
  ['https://box.lan', 'https://box.lan'],
  ['http://box.lan/ollama', 'http://box.lan/ollama'],
])('%s is reached at %s', (text, address) => {
  expect(serverAddress(text, 11434)).toBe(address)
})

test.each(['two words', 'http://user:pass@box', 'http://'])('%s is not a server address', (text) => {
  expect(serverAddress(text, 11434)).toBeUndefined()
})
