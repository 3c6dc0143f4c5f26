import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createClientAddressReader } from '../../pipeline/caller-access.ts'
import { countConnection, createConnectionCount } from './count-connection.ts'

function open(limits: { readonly connections: number; readonly connectionsPerAddress: number }) {
  const findAddress = createClientAddressReader(['10.0.0.0/8'])
  const count = createConnectionCount({
    limits: Object.assign(limits, {
      bodyBytes: 1,
      heldBodyBytes: 1,
      heldBodyBytesOfKey: 1,
      uploadBytes: 1,
      uploadMemoryBytes: 1,
    }),
    callerAccess: {
      findAddress,
      authenticate: unused,
      authenticateId: unused,
      listModels: unused,
      readAccount: unused,
      readCharged: unused,
      readCapture: unused,
    },
  })
  return {
    count,
    connect(remoteAddress: string) {
      const socket = Object.assign(new EventEmitter(), { remoteAddress })
      return { isIn: countConnection(socket, count), close: () => void socket.emit('close') }
    },
  }
}

function unused(): never {
  throw new Error('nobody authenticates here')
}

describe('connections', () => {
  it('are counted by address, and a closed one makes room for another', () => {
    const { connect, count } = open({ connections: 100, connectionsPerAddress: 2 })
    const first = connect('198.51.100.7')
    expect([first.isIn, connect('198.51.100.7').isIn, connect('198.51.100.7').isIn]).toEqual([
      true,
      true,
      false,
    ])
    expect(connect('198.51.100.8').isIn).toBe(true)
    first.close()
    expect(connect('198.51.100.7').isIn).toBe(true)
    expect(count.all).toBe(3)
  })

  it('are checked against the current limits', () => {
    const limits = { connections: 100, connectionsPerAddress: 2 }
    const { connect } = open(limits)
    const held = [connect('198.51.100.7'), connect('198.51.100.7')]
    limits.connectionsPerAddress = 3
    expect([connect('198.51.100.7').isIn, connect('198.51.100.7').isIn]).toEqual([true, false])
    limits.connectionsPerAddress = 1
    held[0]?.close()
    expect(connect('198.51.100.7').isIn).toBe(false)
    expect(connect('198.51.100.8').isIn).toBe(true)
  })

  it.each(['127.0.0.1', '::ffff:127.0.0.1', '::1', '10.1.2.3'])(
    'are not limited by address for %s, which many callers share',
    (address) => {
      const { connect } = open({ connections: 100, connectionsPerAddress: 1 })
      expect([connect(address).isIn, connect(address).isIn]).toEqual([true, true])
    },
  )

  it('are limited in total, whatever their address', () => {
    const { connect } = open({ connections: 1, connectionsPerAddress: 9 })
    expect([connect('127.0.0.1').isIn, connect('127.0.0.1').isIn]).toEqual([true, false])
  })

  it('leave nothing behind in the table of addresses', () => {
    const { connect, count } = open({ connections: 100, connectionsPerAddress: 2 })
    connect('198.51.100.7').close()
    expect({ all: count.all, addresses: count.byAddress.size }).toEqual({ all: 0, addresses: 0 })
  })
})
