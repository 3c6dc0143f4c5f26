import { z } from 'zod'

// The first module of all: a schema that is made before looks whether it may make code of texts, which the policy of the
// page refuses and the browser reports.
z.config({ jitless: true })
