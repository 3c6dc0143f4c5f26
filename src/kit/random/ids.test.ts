import { describe, expect, it } from 'vitest'
import { createLedgerRowId, createRequestId } from './ids.ts'

describe('createRequestId', () => {
  it('mints UUIDs of version 7 that begin with their millisecond', () => {
    expect(createRequestId(1_795_200_000_123)).toMatch(
      /^req_01a1fa42-207b-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  })

  it('sorts ids of later milliseconds behind earlier ones', () => {
    const ids = [1, 0xffff, 0x1_0000, 1_795_200_000_000, 1_795_200_000_001].map(createRequestId)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('gives no two requests of one millisecond the same id', () => {
    const ids = Array.from({ length: 10_000 }, () => createRequestId(5))
    expect(new Set(ids).size).toBe(10_000)
  })
})

describe('createLedgerRowId', () => {
  it('mints the same kind of UUID under a prefix of its own', () => {
    expect(createLedgerRowId(1_795_200_000_123)).toMatch(
      /^row_01a1fa42-207b-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  })
})
