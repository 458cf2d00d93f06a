import { createPrivateKey, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { certificateAuthority } from './certificate-authority.ts'

test('an authority signs certificates of servers and clients', () => {
  const authority = certificateAuthority()
  const { cert, key } = authority.issue('a server')
  const [ca, issued] = [new X509Certificate(authority.cert), new X509Certificate(cert)]
  expect([ca.ca, ca.subject, ca.verify(ca.publicKey)]).toEqual([true, 'CN=test authority', true])
  expect([issued.ca, issued.subject, issued.verify(ca.publicKey)]).toEqual([false, 'CN=a server', true])
  expect(issued.checkIssued(ca)).toBe(true)
  expect(issued.checkPrivateKey(createPrivateKey(key))).toBe(true)
  expect([issued.checkHost('localhost'), issued.checkIP('127.0.0.1')]).toEqual(['localhost', '127.0.0.1'])
  expect(new Date(issued.validFrom).getTime()).toBeLessThan(Date.now())
  expect(new Date(issued.validTo).getTime()).toBeGreaterThan(Date.now())
})

test('two authorities do not vouch for each other', () => {
  const [one, other] = [certificateAuthority('one'), certificateAuthority('other')]
  const issued = new X509Certificate(one.issue('x').cert)
  expect(issued.verify(new X509Certificate(other.cert).publicKey)).toBe(false)
  expect(issued.serialNumber).not.toBe(new X509Certificate(one.issue('x').cert).serialNumber)
})
