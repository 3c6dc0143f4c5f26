import { useQuery } from '@tanstack/react-query'
import { explainError } from '../../api/describe-error.ts'
import { goToLinkIdentity, methodsQuery } from '../../api/single-sign-on.ts'
import { t } from '../../language/language.ts'
import { useMe } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { showToast } from '../../ui/toasts.tsx'

/** The identity by which the user signs in at the identity provider, or a button to link one. */
export function LinkedIdentityCard() {
  const { identity } = useMe()
  const { data: methods } = useQuery(methodsQuery)
  const provider = methods?.oidc ?? undefined
  if (identity === null && provider === undefined) return null
  const link = async () => {
    try {
      await goToLinkIdentity()
    } catch (error) {
      showToast(explainError(error), { tone: 'bad' })
    }
  }
  return (
    <Card title={t('sso.title')}>
      {identity === null ? (
        <>
          <p className="mb-3 text-muted">{t('sso.identity.why', { label: provider?.label ?? '' })}</p>
          <Button icon="lock" onClick={() => void link()}>
            {t('sso.identity.link')}
          </Button>
        </>
      ) : (
        <>
          <p className="break-words">{identity.email ?? identity.subject}</p>
          <p className="text-[0.8125rem] break-all text-muted">{identity.issuer}</p>
        </>
      )}
    </Card>
  )
}
