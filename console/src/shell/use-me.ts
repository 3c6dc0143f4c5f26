import { createContext, useContext } from 'react'
import type { Me } from '../../../src/admin/people/people-contract.ts'
import { type Permissions, permissionsOf } from './permissions.ts'

/** Whoever is signed in; pages are drawn only where somebody is. */
export const MeContext = createContext<Me>({
  type: 'user',
  name: '',
  role: 'member',
  groups: [],
  scopes: null,
  session: null,
  fresh_until: null,
})

export function useMe(): Me {
  return useContext(MeContext)
}

export function usePermissions(): Permissions {
  return permissionsOf(useMe())
}
