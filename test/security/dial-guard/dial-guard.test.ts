import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type Server, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkBaseUrl } from '../../../src/config/check/check-base-url.ts'
import {
  createGuardedConnector,
  createPublicLookup,
  type ResolveName,
} from '../../../src/upstream/guarded-connector.ts'
import { DestinationRefusedError } from '../../../src/upstream/transport-fault.ts'
import { addressForms } from './forms.ts'

const servers: Server[] = []
/** Addresses that any socket of this process tried to reach. */
const attempts: string[] = []
let accepted = 0
let port = 0

const recordSocket: ChannelListener = (message) => {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return
  if (!(message.socket instanceof Socket)) return
  message.socket.on('connectionAttempt', (address) => attempts.push(address))
}

beforeAll(async () => {
  for (const host of ['0.0.0.0', '::1']) {
    const server = createServer(() => {
      accepted += 1
    })
    servers.push(server.listen({ host, port }))
    await once(server, 'listening')
    const address = server.address()
    if (typeof address === 'object' && address !== null) port = address.port
  }
  subscribe('net.client.socket', recordSocket)
})

afterAll(() => {
  unsubscribe('net.client.socket', recordSocket)
  for (const server of servers) server.close()
})

/** Every name leads to this machine and to a private network. */
const privateNames: ResolveName = (_hostname, _options, callback) => {
  callback(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
    { address: '10.0.0.1', family: 4 },
    { address: '::ffff:169.254.169.254', family: 6 },
  ])
}

function dial(url: URL, resolve: ResolveName): Promise<Error | 'connected'> {
  const connect = createGuardedConnector({
    connectTimeoutMs: 1_000,
    tlsTimeoutMs: 1_000,
    allowPrivate: false,
    guard: { resolve },
  })
  return new Promise((settle) => {
    const { hostname, host, protocol } = url
    connect({ hostname, host, protocol, port: String(port) }, (error, socket) => {
      socket?.destroy()
      settle(error ?? 'connected')
    })
  })
}

const forms = Object.entries(addressForms).flatMap(([kind, hosts]) => hosts.map((host) => ({ kind, host })))

describe('a channel with an address outside the public internet', () => {
  it.each(forms)('is not dialled: $kind, $host', async ({ host }) => {
    const before = { attempts: attempts.length, accepted }
    for (const scheme of ['http', 'https']) {
      const text = `${scheme}://${host}`
      if (!URL.canParse(text)) {
        expect(checkBaseUrl(text, false)).toBeDefined()
        continue
      }
      expect(await dial(new URL(text), privateNames)).toBeInstanceOf(DestinationRefusedError)
    }
    expect({ attempts: attempts.length, accepted }).toEqual(before)
  })

  it('is tried in more than 120 forms, none of them twice', () => {
    expect(forms.length).toBeGreaterThanOrEqual(120)
    expect(new Set(forms.map(({ host }) => host)).size).toBe(forms.length)
  })

  it('is dialled if the operator allows it, which shows that the hook is active', async () => {
    const connect = createGuardedConnector({
      connectTimeoutMs: 1_000,
      tlsTimeoutMs: 1_000,
      allowPrivate: true,
    })
    const seen = attempts.length
    const url = new URL(`http://127.0.0.1:${port}`)
    await new Promise<void>((resolve, reject) => {
      connect({ ...url, hostname: '127.0.0.1', protocol: 'http:', port: String(port) }, (error, socket) => {
        socket?.destroy()
        if (error === null) resolve()
        else reject(error)
      })
    })
    expect(attempts.slice(seen)).toEqual(['127.0.0.1'])
  })
})

/** The addresses that a socket would be given to dial, for all and for the first. */
function lookUp(resolve: ResolveName): Promise<unknown> {
  const look = createPublicLookup(resolve)
  const ask = (all: boolean) =>
    new Promise((settle) => {
      look('name.test', { all }, (error, address) => settle(error instanceof Error ? error.name : address))
    })
  return Promise.all([ask(true), ask(false)])
}

function answering(...addresses: readonly string[]): ResolveName {
  return (_hostname, _options, callback) => {
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

describe('a resolved host name', () => {
  it('is dialled only at its public addresses if it has others too', async () => {
    const mixed = answering('127.0.0.1', '1.1.1.1', '::1', '2606:4700::1111', '10.0.0.1')
    expect(await lookUp(mixed)).toEqual([
      [
        { address: '1.1.1.1', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ],
      '1.1.1.1',
    ])
  })

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    'fd00::1',
  ])('is not dialled if it resolves to %s', async (address) => {
    expect(await lookUp(answering(address))).toEqual(['DestinationRefusedError', 'DestinationRefusedError'])
  })

  it('is not dialled if it has no address', async () => {
    expect(await lookUp(answering())).toEqual(['DestinationRefusedError', 'DestinationRefusedError'])
  })

  it('is resolved once for each dial, and the resolved address is the one dialled', async () => {
    const answers = ['1.1.1.1', '127.0.0.1', '127.0.0.1']
    let asked = 0
    const rebinding: ResolveName = (hostname, options, callback) => {
      answering(answers[asked] ?? '127.0.0.1')(hostname, options, callback)
      asked += 1
    }
    expect(await lookUp(rebinding)).toEqual([[{ address: '1.1.1.1', family: 4 }], 'DestinationRefusedError'])
    expect(asked).toBe(2)
    const seen = attempts.length
    expect(await dial(new URL('http://name.test'), rebinding)).toBeInstanceOf(DestinationRefusedError)
    expect({ asked, attempts: attempts.length }).toEqual({ asked: 3, attempts: seen })
  })
})
