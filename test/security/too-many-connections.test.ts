import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { needsOneProcess } from '../support/topology/needs.ts'
import { openEchoGateway } from './raw-http/open-echo-gateway.ts'
import { chat } from './raw-http/raw-case.ts'
import { readAnswers } from './raw-http/read-answers.ts'
import { talk } from './raw-http/talk.ts'

it('an excess connection gets 503, and the existing ones continue', async () => {
  needsOneProcess('each process has its own connections')
  await using gateway = await openEchoGateway({ connections: 3 })
  const held = [1, 2, 3].map(() => connect({ port: gateway.port, host: '127.0.0.1' }))
  await Promise.all(held.map((socket) => once(socket, 'connect')))
  const refused = readAnswers((await talk(gateway.port, '')).text)
  expect(refused.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([[503, '1']])
  expect(refused[0]?.body).toContain('too_many_connections')
  const [first] = held
  first?.write(chat({ headers: ['connection: close'] }), 'latin1')
  const [answer] = await once(first ?? held[0] ?? fail(), 'data')
  expect(String(answer)).toContain('HTTP/1.1 200')
  for (const socket of held) socket.destroy()
})

function fail(): never {
  throw new Error('there is no connection')
}
