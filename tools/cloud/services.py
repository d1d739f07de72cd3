"""All services, and what a cloud has before anyone uses it."""

from . import balancer, compute, identity, image, network, others, volume


def every():
    """The services, by which a request is found."""
    return [identity.service, compute.service, network.service, volume.service, image.service, image.store, balancer.service, others.dns, others.queues, others.secrets, others.heat, others.cfn]


def seed(cloud):
    """Flavors, images, roles: what a deployment needs and does not make."""
    for module in (identity, image, volume, compute, balancer, others):
        module.seed(cloud)
