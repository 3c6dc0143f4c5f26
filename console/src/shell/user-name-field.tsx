import { useMe } from '../shell/use-me.ts'

/** The name beside a password, out of sight, by which password managers know whose it is. */
export function UserNameField() {
  const { name } = useMe()
  return <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
}
