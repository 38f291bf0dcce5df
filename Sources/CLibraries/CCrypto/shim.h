#ifndef CCRYPTO_SHIM_H
#define CCRYPTO_SHIM_H

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Swift sees neither function-like macros nor variadic functions; each one that is needed has one line here.

static inline EVP_PKEY *castway_rsa_generate(unsigned int bits) { return EVP_RSA_gen(bits); }

static inline EVP_PKEY *castway_p256_generate(void) { return EVP_EC_gen("P-256"); }

static inline void castway_free(void *memory) { OPENSSL_free(memory); }

static inline long castway_bio_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }

// The form of RFC 2253 with UTF-8 left as it is.
static inline unsigned long castway_name_print_flags(void) { return XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB; }

static inline STACK_OF(X509) *castway_x509_stack_new(void) { return sk_X509_new_null(); }
static inline void castway_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }
static inline int castway_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) { return sk_X509_push(stack, certificate); }
static inline int castway_x509_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *castway_x509_stack_get(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }

static inline int castway_policies_count(const CERTIFICATEPOLICIES *policies) { return sk_POLICYINFO_num(policies); }
static inline POLICYINFO *castway_policies_get(const CERTIFICATEPOLICIES *policies, int index) { return sk_POLICYINFO_value(policies, index); }

#endif
