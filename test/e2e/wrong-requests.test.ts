import { expect, it } from 'vitest'
import { startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'

const yaml = `
keys: [{ name: a, secret: 0123456789abcdef }]
channels: [{ name: demo, provider: demo }]
`
const headers = { authorization: 'Bearer 0123456789abcdef' }

it('a request of the wrong type is in the log with its reason and without a stack', async () => {
  await using gateway = await startProcess(yaml)
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body: '{}' })
  expect(answer.status).toBe(415)
  await until('the line of the log', () => gateway.output().includes('unsupported_media_type'))
  expect(gateway.output()).toContain('"cause":"the content type is \\"text/plain')
  expect(gateway.output()).not.toContain('node_modules')
})

it('an unknown path gets a different error from a wrong base URL', async () => {
  await using gateway = await startProcess(yaml)
  const read = (path: string) => fetch(`${gateway.url}${path}`, { headers }).then((answer) => answer.text())
  expect(await read('/v1/videos')).toContain('an operation that this gateway does not serve')
  expect(await read('/chat/completions')).toContain('ends in /v1')
})
