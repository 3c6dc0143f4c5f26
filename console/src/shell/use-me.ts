import { createContext, useContext, useMemo } from 'react'
import type { MeWithOperations } from '../../../src/admin/people/people-contract.ts'
import { type Operation, type Permissions, permissionsOf } from './permissions.ts'

/** The signed-in user. Pages are rendered only after the sign-in. */
export const MeContext = createContext<MeWithOperations>({
  type: 'user',
  name: '',
  role: 'member',
  groups: [],
  scopes: null,
  session: null,
  fresh_until: null,
  operations: [],
  callers: { type: 'same-as-this' },
  missing_factor: null,
  password: true,
  second_factor: false,
  second_factor_required: false,
  identity: null,
})

export function useMe(): MeWithOperations {
  return useContext(MeContext)
}

export function usePermissions(): Permissions {
  const me = useMe()
  return useMemo(() => permissionsOf(me), [me])
}

/** Whether the signed-in user may call an operation. */
export function useMay(operation: Operation): boolean {
  return usePermissions().may(operation)
}
