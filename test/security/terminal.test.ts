import { expect, it } from 'vitest'
import { printText } from '../../src/cli/print-text.ts'
import { ask } from '../support/ask.ts'
import { runHeadgate } from '../support/run-headgate.ts'
import { streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { testAdminToken, testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'

const hostile = 'evil\u0000\u001b[31m\r\n  forged: line \u009b2J \u202e'
const controls = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u

it("an upstream's error message reaches a terminal only as the text of one line", async () => {
  await using upstream = await openScriptedUpstream(() => ({
    status: 400,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify({ error: { message: hostile, type: 'invalid_request_error' } })],
  }))
  await using gateway = await startProcess(
    `keys: [{ name: test, secret: ${testKey} }]\nchannels: [{ name: a, provider: openai-compatible, base_url: "${upstream.origin}/v1", api_key: k, models: [m], allow_private: true }]\n`,
    {},
    { environment: { HEADGATE_ADMIN_TOKEN: testAdminToken } },
  )
  const { headers } = await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  const position = { folder: gateway.folder, environment: { HEADGATE_ADMIN_TOKEN: testAdminToken } }
  const shown = await runHeadgate(['logs', 'show', String(headers['x-request-id'])], position)
  expect(shown.output).toContain('evil\\u0000\\u001b[31m')
  expect(shown.output).not.toMatch(controls)
  expect(shown.output).not.toMatch(/^\s*forged: line/m)
  const listed = await runHeadgate(['logs'], position)
  expect(listed.output).not.toMatch(controls)
})

it('a terminal gets no control sequences, and a pipe gets the text unchanged', () => {
  const written: string[] = []
  const write = (text: string) => written.push(text)
  printText({ isTTY: true, write }, 'a\u001b]52;c;AAAA\u0007b\n')
  printText({ write }, 'a\u001bb\n')
  expect(written).toEqual(['a\\u001b]52;c;AAAA\\u0007b\n', 'a\u001bb\n'])
})
