#!/bin/sh -eu
# Starts PostgreSQL, with its data on a disk of its own if there is one: an empty disk gets a file system.

disk=$DISK
if [ -n "$disk" ]; then
  until [ -b "$disk" ]; do sleep 1; done
  blkid "$disk" || mkfs.ext4 -L database "$disk"
  mkdir -p /var/lib/postgresql
  echo "LABEL=database /var/lib/postgresql ext4 defaults 0 2" >>/etc/fstab
  mount /var/lib/postgresql
fi

apt-get update
apt-get install --yes postgresql
for config in /etc/postgresql/*/main; do
  echo "listen_addresses = '*'" >"$config/conf.d/listen.conf"
  echo "host shop shop $CLIENTS scram-sha-256" >>"$config/pg_hba.conf"
done
systemctl restart postgresql

cd /
sudo -u postgres psql <<SQL
CREATE ROLE shop LOGIN PASSWORD '$PASSWORD';
CREATE DATABASE shop OWNER shop;
SQL
