import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { agentFormats } from '../support/agent/speech.ts'
import { ask, errorAtEnd, isTerminated } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { openGateway } from '../support/open-gateway.ts'
import { openRawClient, rawRequest } from '../support/raw-client.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'

it.each(agentFormats)(
  'a live stream of the %s format finishes while new requests are refused',
  async (format) => {
    const gate = createGate()
    const begun = createGate()
    const { frames, bytes } = sampleStreams[format]
    const scripts = [sseAnswer([...frames.slice(0, 4), gate.opened, ...frames.slice(4)])]
    await using open = await openGateway({ format, scripts })
    const target = { url: open.gateway.url, format }
    const live = ask(target, streamRequest('m'), { onBytes: begun.open })
    await begun.opened
    const closed = open.gateway.close(10_000)
    const refused = await ask(target, streamRequest('m'))
    expect(refused).toMatchObject({ status: 503, headers: { connection: 'close' } })
    expect(JSON.parse(refused.body.toString())).toMatchObject({
      ...(format === 'messages' ? { type: 'error' } : {}),
      error: { type: 'api_error', code: 'shutting_down' },
    })
    gate.open()
    const { body, isCut } = await live
    expect([body.toString(), isCut]).toEqual([bytes.toString(), false])
    await closed
    expect(open.upstreams[0]?.requests).toHaveLength(1)
  },
)

it.each(agentFormats)(
  'a live stream of the %s format gets an error when the time limit is reached',
  async (format) => {
    const begun = createGate()
    await using open = await openGateway({
      format,
      scripts: [sseAnswer(sampleStreams[format].frames.slice(0, 4), 'hang')],
    })
    const live = ask({ url: open.gateway.url, format }, streamRequest('m'), { onBytes: begun.open })
    await begun.opened
    await open.gateway.close(50)
    const { body, isCut } = await live
    expect(errorAtEnd(format, body.toString())).toMatchObject({ code: 'shutting_down' })
    expect([isCut, isTerminated(format, body.toString())]).toEqual([true, false])
  },
)

it('a request whose body is still arriving is received and answered', async () => {
  const { frames } = sampleStreams.chat
  await using open = await openGateway({ scripts: [sseAnswer(frames)] })
  const client = await openRawClient(open.gateway.port)
  const headers = {
    authorization: `Bearer ${testKey}`,
    'content-type': 'application/json',
    expect: '100-continue',
  }
  const request = rawRequest('/v1/chat/completions', streamRequest('m'), headers)
  client.send(request.slice(0, -10))
  await client.until('100 Continue')
  const closed = open.gateway.close(10_000)
  const later = async () => {
    expect((await fetch(`${open.gateway.url}/readyz`)).status).toBe(503)
    client.send(request.slice(-10))
  }
  await Promise.all([later(), client.until('[DONE]')])
  expect(client.text).toContain('HTTP/1.1 200 ')
  await closed
})

it('a connection without any request does not delay shutdown', async () => {
  await using open = await openGateway({ scripts: [{}] })
  const socket = connect({ port: Number(new URL(open.gateway.url).port), host: '127.0.0.1' })
  const gone = new Promise((closed) => socket.on('close', closed))
  await new Promise((connected) => socket.on('connect', connected))
  await open.gateway.close(0)
  await gone
})

it('after SIGTERM a live stream has the drain time of the latest configuration', async () => {
  const begun = createGate()
  await using upstream = await openScriptedUpstream(sseAnswer(sampleStreams.chat.frames.slice(0, 4), 'hang'))
  const yaml = (drain: string) =>
    `drain: ${drain}\nkeys: [{ name: test, secret: ${testKey} }]\n${channelYaml({ name: 'a', format: 'chat', origin: upstream.origin, models: ['m'] })}`
  await using gateway = await startProcess(yaml('1h'))
  const live = ask({ url: gateway.url, format: 'chat' }, streamRequest('m'), { onBytes: begun.open })
  await begun.opened
  await gateway.reload(yaml('200ms'))
  const ended = new Promise((settle) => gateway.child.once('exit', settle))
  gateway.child.kill('SIGTERM')
  const { body } = await live
  expect(errorAtEnd('chat', body.toString())).toMatchObject({ code: 'shutting_down' })
  expect(await ended).toBe(0)
  expect(gateway.errors()).toContain('finishing running answers (0.2 s at most)')
})
