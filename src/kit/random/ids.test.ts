import { describe, expect, it } from 'vitest'
import { createLedgerRowId, createRequestId } from './ids.ts'

describe('the request ID', () => {
  it('is a UUID of version 7 that begins with its millisecond', () => {
    expect(createRequestId(1_795_200_000_123)).toMatch(
      /^req_01a1fa42-207b-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  })

  it('sorts by time', () => {
    const ids = [1, 0xffff, 0x1_0000, 1_795_200_000_000, 1_795_200_000_001].map(createRequestId)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('is unique within one millisecond', () => {
    const ids = Array.from({ length: 10_000 }, () => createRequestId(5))
    expect(new Set(ids).size).toBe(10_000)
  })
})

describe('the ledger row ID', () => {
  it('is the same kind of UUID with its own prefix', () => {
    expect(createLedgerRowId(1_795_200_000_123)).toMatch(
      /^row_01a1fa42-207b-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  })
})
