import { useMe } from '../shell/use-me.ts'

/** A hidden user name field next to a password, so that password managers know the account. */
export function UserNameField() {
  const { name } = useMe()
  return <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
}
