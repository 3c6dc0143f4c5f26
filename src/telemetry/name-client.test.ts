import { expect, test } from 'vitest'
import { nameClient } from './name-client.ts'

test.each([
  ['OpenAI/JS 7.55.0', 'OpenAI/JS 7.55.0'],
  ['python-requests/2.32.3', 'python-requests/2.32.3'],
  ['claude-cli/2.1.0 (external, cli)', 'claude-cli/2.1.0'],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 'Mozilla/5.0'],
  [`${'a'.repeat(200)}/1`, 'a'.repeat(64)],
  ['<script>', undefined],
  ['', undefined],
  [undefined, undefined],
])('the client name for %j is %j', (userAgent, client) => {
  expect(nameClient(userAgent)).toBe(client)
})
