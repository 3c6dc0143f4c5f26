import { expect, it } from 'vitest'
import { isAdminPolicy } from './is-admin-policy.ts'

it.each([
  { access: 'public' },
  { access: 'public', from: 'anywhere' },
  { access: 'self', unfinished: true },
  { access: 'self', tokens: true, fresh: ['password'] },
  { access: 'own', scope: 'keys:write', fresh: true },
  { access: 'read', scope: 'keys:read' },
  { access: 'owner', scope: 'config:write' },
])('accepts %j as a policy', (policy) => {
  expect(isAdminPolicy(policy)).toBe(true)
})

it.each([
  undefined,
  'public',
  {},
  { access: 'everyone' },
  { access: 'read' },
  { access: 'read', scope: 'everything' },
  { access: 'read', scope: 'keys:read', fresh: true },
  { access: 'public', scope: 'keys:read' },
  { access: 'self', fresh: [] },
])('refuses %j as a policy', (policy) => {
  expect(isAdminPolicy(policy)).toBe(false)
})
