import type { ActorView } from '../../../src/admin/audit/actor-contract.ts'
import { t } from '../language/language.ts'
import { Absent } from '../ui/text.tsx'

interface AddressTextProps {
  readonly address: string
  readonly actor: Pick<ActorView, 'is_this_machine'>
}

/** The address that a record or a version came from. */
export function AddressText({ address, actor }: AddressTextProps) {
  if (actor.is_this_machine) return t('actor.this_machine')
  return address === '' ? <Absent /> : <code>{address}</code>
}
