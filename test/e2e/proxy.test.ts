import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { openProxy } from '../support/open-proxy.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'

const password = 'Pass/Word-of-the-proxy'
const forms = [password, encodeURIComponent(password), Buffer.from(`gate:${password}`).toString('base64')]

function yamlThrough(proxy: string): string {
  const address = proxy.replace('://', `://gate:${encodeURIComponent(password)}@`)
  const channel = channelYaml({
    name: 'a',
    format: 'chat',
    origin: 'http://api.test',
    models: ['m'],
    more: `proxy: ${address}`,
  })
  return `keys: [{ name: test, secret: ${testKey} }]\n${channel.replace(/ *allow_private: true\n/, '')}`
}

it('a channel is reached only through its proxy', async () => {
  await using upstream = await openScriptedUpstream(sseAnswer([sampleStreams.chat.bytes]))
  await using proxy = await openProxy({ user: `gate:${password}`, leadsTo: new URL(upstream.origin).host })
  await using gateway = await startProcess(yamlThrough(proxy.url))
  const { status, body } = await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect([status, body.toString()]).toEqual([200, sampleStreams.chat.bytes.toString()])
  expect(proxy.asked).toEqual(['POST http://api.test/v1/chat/completions'])
  expect(upstream.requests[0]?.headers).toMatchObject({ host: 'api.test' })
  expect(upstream.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
})

it('a refusal of the proxy is a gateway fault and not the caller’s, and its password is never shown', async () => {
  await using proxy = await openProxy({ user: 'another:one', leadsTo: '127.0.0.1:1' })
  await using gateway = await startProcess(yamlThrough(proxy.url))
  const { status, headers, body } = await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect(status).toBe(503)
  gateway.child.kill('SIGTERM')
  await new Promise((ended) => gateway.child.once('exit', ended))
  expect(gateway.output()).toContain('the proxy answered with status 407')
  const all = [JSON.stringify(headers), body.toString(), gateway.output(), gateway.errors()].join('\n')
  expect(forms.filter((form) => all.includes(form))).toEqual([])
})

it('proxies of the environment are not used', async () => {
  await using upstream = await openScriptedUpstream(sseAnswer([sampleStreams.chat.bytes]))
  await using proxy = await openProxy({ leadsTo: new URL(upstream.origin).host })
  const yaml = channelYaml({ name: 'a', format: 'chat', origin: upstream.origin, models: ['m'] })
  const variables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
  const environment = Object.fromEntries(variables.map((name) => [name, proxy.url]))
  const keys = `keys: [{ name: test, secret: ${testKey} }]\n`
  await using gateway = await startProcess(
    keys + yaml,
    {},
    {
      environment: { ...environment, NODE_USE_ENV_PROXY: '1' },
    },
  )
  const { status } = await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect([status, upstream.requests.length, proxy.asked]).toEqual([200, 1, []])
})
