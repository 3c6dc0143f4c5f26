import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'
import { until } from '../support/until.ts'

const reply = {
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}
const headers = { 'content-type': 'application/json' }

it('a refused key is probed, and serves again long before its lockout ends', async () => {
  needsOneProcess('one process makes the checks, and counts them')
  let isRefused = true
  await using upstream = await openScriptedUpstream(({ method }) => {
    if (isRefused) return { status: 401, headers, chunks: ['{"error":{"message":"no"}}'] }
    return { headers, chunks: [method === 'GET' ? '{"data":[{"id":"m"}]}' : JSON.stringify(reply)] }
  })
  await using gateway = await startGateway(`queue: off
channels:
  - name: a
    provider: openai
    base_url: ${upstream.origin}/v1
    allow_private: true
    api_key: sk-upstream-0123456789
    models: [m]
    health_check: { every: 1s }
`)
  const askOnce = () =>
    ask({ url: gateway.url, format: 'chat' }, { model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
  const readAdmin = async (path: string) => {
    const authorization = `Bearer ${testAdminToken}`
    return (await fetch(`${gateway.url}${path}`, { headers: { authorization } })).text()
  }
  expect((await askOnce()).status).toBe(502)
  expect(JSON.parse(await readAdmin('/admin/v1/health'))).toMatchObject({ channels: [{ checks: [] }] })
  await until('a check has failed', () => upstream.requests.some(({ method }) => method === 'GET'))
  expect((await askOnce()).status).toBe(502)
  isRefused = false
  const isPassed = async () => /"outcome":"passed"/.test(await readAdmin('/admin/v1/health'))
  for (let passed = await isPassed(); !passed; passed = await isPassed());
  expect((await askOnce()).status).toBe(200)
  const metrics = await readAdmin('/metrics')
  expect(metrics).toContain('headgate_health_checks_total{channel="a",asked="list",outcome="passed"} 1')
  expect(metrics).toMatch(/headgate_health_checks_total\{channel="a",asked="list",outcome="failed"\} [1-9]/)
})
